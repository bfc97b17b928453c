import type { PlatformFacts } from './platform-facts.ts';
import { HOSTING_TITLES } from './titles.ts';

export const vercel = {
  title: HOSTING_TITLES.vercel,
  description: 'Sites and front-end builds near your visitors.',
  bullets: ['Files sent by their hash', 'Preview address for each release', 'Apex and www in one step'],
  isAvailable: false,
} satisfies PlatformFacts;
