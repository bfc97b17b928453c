import type { PlatformFacts, PlatformSetup } from './platform-facts.ts';

export const vercel: PlatformFacts = {
  title: 'Vercel',
  description: 'Sites and front-end builds near your visitors.',
  bullets: ['Files sent by their hash', 'Preview address for each release', 'Apex and www in one step'],
  isAvailable: false,
};

export const vercelSetup: PlatformSetup = {
  way: 'Your files are sent as they are, and only those that changed. Nothing is built there.',
  cost: 'A free plan (Hobby) is there.',
  needs: ['A Vercel account', 'A token, made under Account settings, Tokens; it can be limited to one team'],
  // vercel.com/docs/limits, copy of 2026-03-02; entries: Vercel's own client.
  limits: [
    '15,000 files in a release',
    '100 MB of files on Hobby, 1 GB on Pro',
    '100 releases a day on Hobby, 6,000 on Pro',
  ],
};
