import type { PlatformFacts, PlatformSetup } from './platform-facts.ts';

export const githubPages: PlatformFacts = {
  title: 'GitHub Pages',
  description: 'Free hosting from a repository of yours.',
  bullets: [
    'No cost for public sites',
    'Every release is a commit you can read',
    'HTTPS enforced once the certificate is there',
  ],
  isAvailable: false,
};

export const githubPagesSetup: PlatformSetup = {
  way: 'Your files become a commit in a repository of yours, and GitHub publishes it in about a minute.',
  cost: 'Free for public repositories.',
  needs: [
    'A GitHub account',
    'A token: classic with the scope repo, or fine-grained with Administration, Contents and Pages set to write',
  ],
  // github/docs: limits of Pages, and rate limits for the REST API.
  limits: ['1 GB a website', '100 MB a file', 'One domain a website', '5,000 calls an hour'],
};
