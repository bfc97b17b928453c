import type { PlatformFacts } from './platform-facts.ts';
import { HOSTING_TITLES } from './titles.ts';

export const vercel = {
  title: HOSTING_TITLES.vercel,
  description: 'Sites and front-end builds near your visitors.',
  bullets: ['Only changed files are sent', 'An address for each release', 'Roll back to any release'],
} satisfies PlatformFacts;
