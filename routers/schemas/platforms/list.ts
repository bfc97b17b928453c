import { builtIn } from './built-in.ts';
import { githubPages } from './github-pages.ts';
import { heroku } from './heroku.ts';
import { netlify } from './netlify.ts';
import type { PlatformFacts } from './platform-facts.ts';
import { render } from './render.ts';
import { replit } from './replit.ts';
import { simulated } from './simulated.ts';
import { vercel } from './vercel.ts';

/** The six hosting platforms, in the order of the home cards (specification, section 2). */
export const HOSTING_PLATFORMS = ['netlify', 'vercel', 'github-pages', 'render', 'heroku', 'replit'] as const;

export type HostingPlatform = (typeof HOSTING_PLATFORMS)[number];

/** What is said about each; without a schema, so that a visitor's first page carries no zod. */
export const PLATFORMS: Record<HostingPlatform | 'built-in' | 'simulated', PlatformFacts> = {
  'built-in': builtIn,
  netlify,
  vercel,
  'github-pages': githubPages,
  render,
  heroku,
  replit,
  simulated,
};
