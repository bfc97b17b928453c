import type { PlatformId } from './ids.ts';
import { PLATFORM_TITLES } from './titles.ts';

/** Texts about a platform, for a person to read before and while they use it. */
export type PlatformFacts = {
  title: string;
  description: string;
  /** The three bullets of the home card, each true of the platform. */
  bullets: readonly [string, string, string];
  /** True when this installation's own host serves the sites, at addresses of its own. */
  isServedHere?: boolean;
  /**
   * True for a simulated platform, for tests and Test & Simulation: it is in no list to choose from and in no plan's
   * count, and has no adapter.
   */
  isSimulated?: boolean;
};

/** Holds the texts about each platform, without a schema, so that a visitor's first page carries no zod. */
export const PLATFORMS: Record<PlatformId, PlatformFacts> = {
  'built-in': {
    title: PLATFORM_TITLES['built-in'],
    description: 'Served by Fairlead itself, with no account anywhere else.',
    bullets: ['Live in seconds', 'Every release keeps its own preview address', 'Roll back in about a second'],
    isServedHere: true,
  },
  netlify: {
    title: PLATFORM_TITLES.netlify,
    description: 'Static sites; releases go live in one step.',
    bullets: [
      'Only changed files are sent',
      'Roll back to an earlier release in one step',
      'Free certificate for your own domain',
    ],
  },
  vercel: {
    title: PLATFORM_TITLES.vercel,
    description: 'Sites and front-end builds near your visitors.',
    bullets: ['Only changed files are sent', 'An address for each release', 'Roll back to any release'],
  },
  'github-pages': {
    title: PLATFORM_TITLES['github-pages'],
    description: 'Free hosting from a repository of yours.',
    bullets: [
      'No cost for public sites',
      'Every release is a commit you can read',
      'HTTPS enforced once the certificate is there',
    ],
  },
  render: {
    title: PLATFORM_TITLES.render,
    description: 'Static sites from a Git repository.',
    bullets: ['Each step of a deploy is shown', 'Global cache included', 'Roll back to any build'],
  },
  heroku: {
    title: PLATFORM_TITLES.heroku,
    description: 'Sites beside the apps you already run.',
    bullets: [
      'A small static server is added for you',
      'Certificate managed by the platform',
      'Roll back to eligible releases',
    ],
  },
  replit: {
    title: PLATFORM_TITLES.replit,
    description: 'A hand-off you finish in two minutes.',
    bullets: ['Archive ready to import', 'Each step explained', 'Your address is checked at the end'],
  },
  simulated: {
    title: PLATFORM_TITLES.simulated,
    description: 'A simulated platform, to see what happens when one fails.',
    bullets: [
      'Fails in the step that you choose',
      'Publishes to this machine only',
      'Does not count against your plan',
    ],
    isSimulated: true,
  },
};
