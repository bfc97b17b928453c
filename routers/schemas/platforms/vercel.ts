import type { PlatformFacts } from './platform-facts.ts';

export const vercel: PlatformFacts = {
  title: 'Vercel',
  description: 'Sites and front-end builds near your visitors.',
  bullets: ['Files sent by their hash', 'Preview address for each release', 'Apex and www in one step'],
  isAvailable: false,
};
