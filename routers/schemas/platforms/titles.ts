import type { HostingPlatform, PlatformId } from './ids.ts';

/** The titles are apart from the other texts of platforms, since the titles of routes need no more. */
export const HOSTING_TITLES = {
  netlify: 'Netlify',
  vercel: 'Vercel',
  'github-pages': 'GitHub Pages',
  render: 'Render',
  heroku: 'Heroku',
  replit: 'Replit',
} as const satisfies Record<HostingPlatform, string>;

export const PLATFORM_TITLES = {
  ...HOSTING_TITLES,
  'built-in': 'Built-in host',
  simulated: 'Simulated platform',
} as const satisfies Record<PlatformId, string>;

/** The name of an account at each platform: GitHub Pages has none of its own, and Render needs one at GitHub as well. */
export const ACCOUNT_TITLES = { ...PLATFORM_TITLES, 'github-pages': 'GitHub' } as const satisfies Record<
  PlatformId,
  string
>;
