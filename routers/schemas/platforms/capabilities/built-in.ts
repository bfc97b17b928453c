import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;

export const builtInCapabilities: PlatformCapabilities = {
  publish: 'upload',
  requires: [],
  furtherConnections: [],
  // Another process of the host may follow the switch a moment later.
  limits: { releaseMs: 60 * MINUTE_MS, settleMs: 5_000 },
  refusedNames: null,
  foldsCase: false,
  specialFiles: ['_redirects', '_headers'],
  basePath: 'root',
  draft: true,
  rollBack: { takes: 'about a second' },
  cancel: true,
  log: false,
  serving: { notFoundPage: true, singlePage: true, redirects: true, packedFiles: true },
  // A name is not attached anywhere: Fairlead serves it, so its records and certificate are our own.
  domain: null,
};
