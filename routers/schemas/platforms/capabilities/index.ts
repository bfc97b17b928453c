import type { AvailablePlatform, PlatformId } from '../ids.ts';
import { builtInCapabilities } from './built-in.ts';
import { githubPagesCapabilities } from './github-pages.ts';
import { herokuCapabilities } from './heroku.ts';
import { netlifyCapabilities } from './netlify.ts';
import type { PlatformCapabilities } from './platform-capabilities.ts';
import { renderCapabilities } from './render.ts';
import { replitCapabilities } from './replit.ts';
import { vercelCapabilities } from './vercel.ts';

const capabilities = {
  netlify: netlifyCapabilities,
  vercel: vercelCapabilities,
  'github-pages': githubPagesCapabilities,
  render: renderCapabilities,
  heroku: herokuCapabilities,
  replit: replitCapabilities,
  'built-in': builtInCapabilities,
} satisfies Record<AvailablePlatform, PlatformCapabilities>;

export const PLATFORM_CAPABILITIES: Partial<Record<PlatformId, PlatformCapabilities>> = capabilities;

/** The options of every platform that hold the id of a connection. */
export const CONNECTION_OPTIONS: readonly string[] = Object.values(capabilities).flatMap(({ furtherConnections }) =>
  furtherConnections.map(({ option }) => option),
);
