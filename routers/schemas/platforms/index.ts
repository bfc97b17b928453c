import * as z from 'zod/mini';
import { builtIn } from './built-in.ts';
import { githubPages } from './github-pages.ts';
import { heroku } from './heroku.ts';
import { netlify } from './netlify.ts';
import type { PlatformFacts } from './platform-facts.ts';
import { render } from './render.ts';
import { replit } from './replit.ts';
import { vercel } from './vercel.ts';

/** The six hosting platforms, in the order of the home cards (specification, section 2). */
export const HOSTING_PLATFORMS = ['netlify', 'vercel', 'github-pages', 'render', 'heroku', 'replit'] as const;
export const platformIdSchema = z.enum([...HOSTING_PLATFORMS, 'built-in']);

export type HostingPlatform = (typeof HOSTING_PLATFORMS)[number];
export type PlatformId = z.infer<typeof platformIdSchema>;

export const PLATFORMS: Record<PlatformId, PlatformFacts> = {
  'built-in': builtIn,
  netlify,
  vercel,
  'github-pages': githubPages,
  render,
  heroku,
  replit,
};
