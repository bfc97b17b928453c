import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const replitCapabilities: PlatformCapabilities = {
  publish: 'handOff',
  requires: [],
  furtherConnections: [],
  // A person finishes it when they have the time. Replit publishes no limits of static deployments.
  limits: { releaseMs: 7 * DAY_MS, settleMs: 5 * MINUTE_MS },
  refusedNames: null,
  foldsCase: false,
  specialFiles: ['_redirects', '_headers', '.replit'],
  basePath: 'root',
  draft: false,
  rollBack: null,
  // To give up is to stop waiting.
  cancel: true,
  log: false,
  // docs.replit.com, "Static Deployment Configuration" (2026): rewrites and headers are in `.replit`, and Content-Encoding
  // is none of those; a page of the site's own is shown for what is missing, with what status is not said.
  serving: { notFoundPage: false, singlePage: true, redirects: false, packedFiles: false },
  domain: {
    records: 'fromPerson',
    counterpart: 'manual',
    certificate: { status: 'none', issuers: [] },
  },
};
