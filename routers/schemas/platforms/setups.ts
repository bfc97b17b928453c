import { formatCount } from '../format-count.ts';
import { githubPagesCapabilities } from './capabilities/github-pages.ts';
import { herokuCapabilities } from './capabilities/heroku.ts';
import { vercelCapabilities } from './capabilities/vercel.ts';
import type { HostingPlatform } from './ids.ts';
import { unitBaseOf } from './limit-units.ts';

/** The texts of a platform's setup page, apart from the facts, which every visitor's page carries. */
export type PlatformSetup = {
  /** A sentence about how a folder gets there. */
  way: string;
  cost: string;
  /** Requirements before the first release. */
  needs: readonly string[];
  /** The published limits; capabilities/<platform>.ts has the sources of those that Fairlead enforces. */
  limits: readonly string[];
  /** The source of these limits, and its date; null when there are none. */
  limitsFrom: string | null;
};

const github = githubPagesCapabilities.limits;
const heroku = herokuCapabilities.limits;
const vercel = vercelCapabilities.limits;

export const PLATFORM_SETUPS: Record<HostingPlatform, PlatformSetup> = {
  netlify: {
    way: 'Your files are sent as they are, and only those that changed. A release is checked at an address of its own first, and then made public in one step.',
    cost: 'Netlify has a free plan; on newer plans each release uses credits.',
    needs: [
      'A Netlify account',
      'A personal access token, made under User settings, Applications; it gives access to the whole account, since Netlify has no narrower ones',
    ],
    limitsFrom: 'Netlify’s API guide, its page “Site deploys overview” and its CLI 26.2.0, read in August 2026',
    limits: ['500 calls a minute', '3 releases a minute', '54,000 files in one folder', 'No # and no ? in file names'],
  },
  vercel: {
    way: 'Your files are sent as they are, and only those that changed. Nothing is built there.',
    cost: 'Vercel has a free plan, Hobby.',
    needs: ['A Vercel account', 'A token, made under Account settings, Tokens; it can be limited to one team'],
    limitsFrom: 'vercel.com/docs/limits, as of Mar 2, 2026',
    // Made when it is read: the first count in words loads the data of all languages, which no start needs.
    get limits() {
      return [
        `${formatCount(vercel.maxFiles, 'file')} per release`,
        `100 MB of files on Hobby, ${formatLimit(vercel.maxTotalBytes)} on Pro`,
        '100 releases a day on Hobby, 6,000 on Pro',
      ];
    },
  },
  'github-pages': {
    way: 'Your files become a commit in a repository of yours, which is made for you if you name none, and GitHub publishes it in about a minute. Only files that changed are sent.',
    cost: 'Free for public repositories: your files are public there.',
    needs: [
      'A GitHub account',
      'A token: classic with the scope repo, or fine-grained with Administration, Contents and Pages set to write',
      'For a domain of your own: verify it in GitHub’s settings under Pages, with the TXT record shown there, so that no other account can take it over',
    ],
    limitsFrom:
      'docs.github.com, “GitHub Pages limits”, “About large files on GitHub” and “Rate limits for the REST API”, July 2026',
    limits: [
      `${formatLimit(github.maxTotalBytes)} per website`,
      `${formatLimit(github.maxFileBytes)} per file`,
      '10 builds an hour, of 10 minutes at most',
      'About 450 new images, fonts and other non-text files an hour; larger releases continue automatically',
      'One domain per website',
      'Your site is at /repository/ until you add a domain; until then, links that start with / do not work',
    ],
  },
  render: {
    way: 'Render builds static sites from Git repositories only: your files go to a public repository at GitHub, and Render publishes that.',
    cost: 'Static sites are free; build minutes are limited.',
    needs: [
      'A Render account with an API key, made under Account settings',
      'A GitHub connection as well: the repository, and with it your files, is public',
    ],
    limitsFrom: 'measurements of May 2025, since Render documents no limits for its API',
    limits: [
      '20 new websites an hour',
      '10 releases a minute',
      `${formatLimit(github.maxTotalBytes)} per website and ${formatLimit(github.maxFileBytes)} per file, the limits of the repository`,
    ],
  },
  heroku: {
    way: 'Heroku has no hosting for static sites: your files are packed with a small web server and run as an app.',
    cost: 'Not free: an Eco dyno costs $5 a month and sleeps after 30 minutes without visitors, a Basic dyno costs $7 a month.',
    needs: [
      'A Heroku account verified with a payment card',
      'An authorization token, made under Account, Applications',
    ],
    limitsFrom:
      'Heroku Dev Center, “Limits” of Jan 9, 2025 and “Slug Compiler” of 2022; the size from what a build at Heroku reported in 2025',
    limits: [
      `${formatLimit(heroku.maxTotalBytes)} per app, compressed`,
      '15 minutes per build',
      '4,500 calls an hour',
      '1,000 domains per app',
      'No IP address for a bare domain such as example.com: your DNS provider has to offer ALIAS records',
    ],
  },
  replit: {
    way: 'Replit has no publishing API. Download the archive, import it there and publish; it takes about two minutes. Then Fairlead checks your address.',
    cost: 'Replit may ask for a paid plan or credits.',
    needs: ['A Replit account', 'Two minutes there: import the archive, press Publish, choose Static'],
    // Replit's documentation names no numbers for static publishing.
    limitsFrom: null,
    limits: [],
  },
};

function formatLimit(bytes: number): string {
  const unit = unitBaseOf(bytes);
  return bytes >= unit ** 3 ? `${bytes / unit ** 3} GB` : `${bytes / unit ** 2} MB`;
}
