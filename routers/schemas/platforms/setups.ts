import type { HostingPlatform } from './ids.ts';

/** What the setup page of a hosting platform says; apart from the facts, which every visitor's page carries. */
export type PlatformSetup = {
  /** How a folder gets there, in a sentence. */
  way: string;
  cost: string;
  /** What a person needs before the first release. */
  needs: readonly string[];
  /** Its published limits; sources are named beside them. */
  limits: readonly string[];
};

export const PLATFORM_SETUPS: Record<HostingPlatform, PlatformSetup> = {
  netlify: {
    way: 'Your files are sent as they are, and only those that changed. A release is public at once when Netlify has them all.',
    cost: 'A free plan is there; newer plans count a release as credits.',
    needs: ['A Netlify account', 'A personal access token, made under User settings, Applications'],
    // Netlify's guide to its API, read 2026-08-27.
    limits: ['500 calls a minute', '3 releases a minute'],
  },
  vercel: {
    way: 'Your files are sent as they are, and only those that changed. Nothing is built there.',
    cost: 'A free plan (Hobby) is there.',
    needs: ['A Vercel account', 'A token, made under Account settings, Tokens; it can be limited to one team'],
    // vercel.com/docs/limits, copy of 2026-03-02; entries: Vercel's own client.
    limits: [
      '15,000 files in a release',
      '100 MB of files on Hobby, 1 GB on Pro',
      '100 releases a day on Hobby, 6,000 on Pro',
    ],
  },
  'github-pages': {
    way: 'Your files become a commit in a repository of yours, and GitHub publishes it in about a minute.',
    cost: 'Free for public repositories.',
    needs: [
      'A GitHub account',
      'A token: classic with the scope repo, or fine-grained with Administration, Contents and Pages set to write',
    ],
    // github/docs: limits of Pages, and rate limits for the REST API.
    limits: ['1 GB a website', '100 MB a file', 'One domain a website', '5,000 calls an hour'],
  },
  render: {
    way: 'Render builds static sites from a Git repository alone: your files go to a public repository at GitHub, and Render publishes that.',
    cost: 'Static sites are free; minutes of building are counted.',
    needs: [
      'A Render account with an API key, made under Account settings',
      'A GitHub connection as well: the repository, and with it your files, is public',
    ],
    // Recorded traffic of Render's own tests, May 2025: its API publishes no table.
    limits: ['20 new websites an hour', '10 releases a minute'],
  },
  heroku: {
    way: 'Heroku has no hosting for static sites: your files are packed with a small web server and run as an app.',
    cost: 'Not free: an Eco dyno costs $5 a month and sleeps after 30 minutes without visitors, a Basic dyno costs $7 a month.',
    needs: [
      'A Heroku account verified with a payment card',
      'An authorization token, made under Account, Applications',
    ],
    // Heroku Dev Center, Platform API reference.
    limits: ['4,500 calls an hour'],
  },
  replit: {
    way: 'Replit has no interface for publishing from outside: you get a ready archive and finish in two minutes there. Then your address is checked from here.',
    cost: 'A paid plan or credits may be asked.',
    needs: ['A Replit account', 'A few clicks of yours: import the archive, press Publish, choose Static'],
    // Replit's documentation names no numbers for static publishing.
    limits: [],
  },
};
