import type { PlatformFacts } from './platform-facts.ts';
import { HOSTING_TITLES } from './titles.ts';

export const githubPages = {
  title: HOSTING_TITLES['github-pages'],
  description: 'Free hosting from a repository of yours.',
  bullets: [
    'No cost for public sites',
    'Every release is a commit you can read',
    'HTTPS enforced once the certificate is there',
  ],
} satisfies PlatformFacts;
