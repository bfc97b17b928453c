import type { HostingPlatform, PlatformId } from './ids.ts';

/** Names of the hosting platforms; apart from what is said of them, since the titles of routes need no more. */
export const HOSTING_TITLES = {
  netlify: 'Netlify',
  vercel: 'Vercel',
  'github-pages': 'GitHub Pages',
  render: 'Render',
  heroku: 'Heroku',
  replit: 'Replit',
} as const satisfies Record<HostingPlatform, string>;

/** Names of all platforms. */
export const PLATFORM_TITLES = {
  ...HOSTING_TITLES,
  'built-in': 'Built-in host',
  simulated: 'Simulated platform',
} as const satisfies Record<PlatformId, string>;
