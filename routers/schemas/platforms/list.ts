import { builtIn } from './built-in.ts';
import { githubPages } from './github-pages.ts';
import { heroku } from './heroku.ts';
import type { PlatformId } from './ids.ts';
import { netlify } from './netlify.ts';
import type { PlatformFacts } from './platform-facts.ts';
import { render } from './render.ts';
import { replit } from './replit.ts';
import { simulated } from './simulated.ts';
import { vercel } from './vercel.ts';

/** The texts about each platform, without a schema, so that a visitor's first page carries no zod. */
export const PLATFORMS: Record<PlatformId, PlatformFacts> = {
  'built-in': builtIn,
  netlify,
  vercel,
  'github-pages': githubPages,
  render,
  heroku,
  replit,
  simulated,
};
