import type { Reason } from '../recommendations.ts';
import type { AvailablePlatform } from './ids.ts';
import { PLATFORM_SETUPS } from './setups.ts';

export type Source = NonNullable<Reason['source']>;

/**
 * Facts about a platform for the ranking, besides its capabilities: the sources of the numbers there, and the price.
 */
export type RankingFacts = {
  cost: string;
  costSource: Source | null;
  /** Null when the platform publishes no limit. */
  limitsSource: Source | null;
  /** A larger site needs a paid plan. */
  freeTotalBytes?: number;
  /** The owner of the repository through which files get there, if it needs an account of its own. */
  repositoryAt?: string;
};

const GITHUB: Source = {
  title: 'docs.github.com, “GitHub Pages limits” and “About large files on GitHub”',
  readOn: '2026-07',
};
const VERCEL: Source = { title: 'vercel.com/docs/limits', readOn: '2026-03-02' };
const HEROKU: Source = { title: 'Heroku Dev Center, “Dyno Types” and “Eco Dyno Hours”', readOn: '2026' };

export const RANKING_FACTS: Record<AvailablePlatform, RankingFacts> = {
  'built-in': { cost: 'It costs nothing extra.', costSource: null, limitsSource: null },
  netlify: {
    cost: PLATFORM_SETUPS.netlify.cost,
    costSource: { title: 'docs.netlify.com, “Get started with the Netlify API”', readOn: '2026-08-27' },
    limitsSource: null,
  },
  vercel: {
    cost: PLATFORM_SETUPS.vercel.cost,
    costSource: VERCEL,
    limitsSource: VERCEL,
    freeTotalBytes: 100_000_000,
  },
  'github-pages': { cost: PLATFORM_SETUPS['github-pages'].cost, costSource: GITHUB, limitsSource: GITHUB },
  render: {
    cost: PLATFORM_SETUPS.render.cost,
    costSource: { title: 'Render documentation, “Free plans”', readOn: '2022' },
    // Its files are in a repository at GitHub.
    limitsSource: GITHUB,
    repositoryAt: 'GitHub',
  },
  heroku: {
    cost: PLATFORM_SETUPS.heroku.cost,
    costSource: HEROKU,
    limitsSource: { title: 'a build error at Heroku, fleetdm/fleet issue 25934', readOn: '2025' },
  },
  replit: {
    cost: PLATFORM_SETUPS.replit.cost,
    costSource: { title: 'docs.replit.com, “Static Deployments”', readOn: '2026' },
    limitsSource: null,
  },
};
