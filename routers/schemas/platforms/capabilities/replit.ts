import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const replitCapabilities: PlatformCapabilities = {
  publish: 'handOff',
  requires: [],
  furtherConnections: [],
  // A person finishes it when they have time. Replit publishes no limits for static deployments.
  limits: { releaseMs: 7 * DAY_MS, settleMs: 5 * MINUTE_MS },
  refusedNames: null,
  foldsCase: false,
  specialFiles: ['_redirects', '_headers', '.replit'],
  basePath: 'root',
  draft: false,
  rollBack: null,
  // Cancelling stops the waiting.
  cancel: true,
  log: false,
  // docs.replit.com, "Static Deployment Configuration" (2026): `.replit` sets rewrites and headers, without
  // Content-Encoding; the site's own page is shown for a missing one, with an undocumented status.
  serving: { notFoundPage: false, singlePage: true, redirects: false, packedFiles: false },
  domain: {
    records: 'fromPerson',
    counterpart: 'manual',
    certificate: { status: 'none', issuers: [] },
  },
};
