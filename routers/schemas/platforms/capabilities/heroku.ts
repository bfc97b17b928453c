import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;
/** The largest app that Heroku accepts, compressed (an error of its builds: fleetdm/fleet, issue 25934, 2025). */
const TOTAL_MAX_BYTES = 500 * 1024 ** 2;

export const herokuCapabilities = {
  publish: 'upload',
  requires: ['connection', 'paymentThere'],
  furtherConnections: [],
  limits: {
    maxTotalBytes: TOTAL_MAX_BYTES,
    // Heroku Dev Center, "Slug Compiler" (2022): 15 minutes a build; the archive comes before it.
    releaseMs: 60 * MINUTE_MS,
    // "Dynos and the Dyno Manager": a process has 60 seconds to listen, and an Eco one may have to wake up.
    settleMs: 2 * MINUTE_MS,
  },
  refusedNames: null,
  foldsCase: false,
  specialFiles: ['_redirects', '_headers'],
  basePath: 'root',
  draft: false,
  // There is no build: a dyno starts with the earlier slug (Dev Center, "Releases", and settleMs above).
  rollBack: { takes: 'seconds, two minutes at most' },
  cancel: true,
  log: true,
  serving: { notFoundPage: true, singlePage: true, redirects: true, packedFiles: true },
  domain: {
    records: 'fromApi',
    counterpart: 'manual',
    certificate: { status: 'perDomain', issuers: ['letsencrypt.org'] },
  },
} satisfies PlatformCapabilities;
