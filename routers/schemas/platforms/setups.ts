import { githubPagesSetup } from './github-pages.ts';
import { herokuSetup } from './heroku.ts';
import type { HostingPlatform } from './list.ts';
import { netlifySetup } from './netlify.ts';
import type { PlatformSetup } from './platform-facts.ts';
import { renderSetup } from './render.ts';
import { replitSetup } from './replit.ts';
import { vercelSetup } from './vercel.ts';

/** What the setup pages say of each hosting platform. */
export const PLATFORM_SETUPS: Record<HostingPlatform, PlatformSetup> = {
  netlify: netlifySetup,
  vercel: vercelSetup,
  'github-pages': githubPagesSetup,
  render: renderSetup,
  heroku: herokuSetup,
  replit: replitSetup,
};
