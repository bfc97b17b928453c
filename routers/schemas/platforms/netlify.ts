import type { PlatformFacts } from './platform-facts.ts';
import { HOSTING_TITLES } from './titles.ts';

export const netlify = {
  title: HOSTING_TITLES.netlify,
  description: 'Static sites with instant, atomic publishing.',
  bullets: ['Only changed files travel', 'Restore an earlier release in one call', 'Free TLS on your own domain'],
} satisfies PlatformFacts;
