import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;
/** One of the entries that a deployment may list (vercel/terraform-provider-vercel, issue 289) is our own. */
const ENTRIES_MAX = 15_000;
/**
 * vercel.com/docs/limits (March 2026): source files of the Pro plan. Vercel itself refuses more than 100 MB on Hobby.
 */
const TOTAL_MAX_BYTES = 1_000_000_000;

export const vercelCapabilities = {
  publish: 'upload',
  requires: ['connection'],
  furtherConnections: [],
  limits: {
    maxFiles: ENTRIES_MAX - 1,
    maxTotalBytes: TOTAL_MAX_BYTES,
    // vercel.com/docs/limits (March 2026): 45 minutes a build, and others may come first.
    releaseMs: 60 * MINUTE_MS,
    settleMs: MINUTE_MS,
  },
  refusedNames: null,
  foldsCase: false,
  specialFiles: ['_redirects', '_headers'],
  basePath: 'root',
  draft: false,
  // "In about a second" (vercel.com/academy, "Deployments"); settleMs above.
  rollBack: { takes: 'seconds, a minute at most' },
  cancel: true,
  log: true,
  serving: { notFoundPage: true, singlePage: true, redirects: true, packedFiles: true },
  domain: {
    records: 'fromApi',
    counterpart: 'manual',
    certificate: { status: 'none', issuers: ['letsencrypt.org'] },
  },
} satisfies PlatformCapabilities;
