import { githubPagesCapabilities } from './github-pages.ts';
import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;

export const renderCapabilities: PlatformCapabilities = {
  publish: 'viaGit',
  requires: ['connection', 'publicFiles'],
  furtherConnections: [{ provider: 'github-pages', option: 'githubConnectionId' }],
  // These are GitHub's, whose time for new images applies; Render publishes no limit for static sites.
  limits: { ...githubPagesCapabilities.limits, settleMs: 5 * MINUTE_MS },
  refusedNames: null,
  foldsCase: false,
  specialFiles: [],
  basePath: 'root',
  draft: false,
  // Each rollback is a new deploy of an earlier build (render.com/docs/rollbacks); settleMs above.
  rollBack: { takes: 'minutes, five at most', again: 'deploys' },
  cancel: true,
  log: true,
  // A site's files cannot set headers there.
  serving: { notFoundPage: false, singlePage: true, redirects: false, packedFiles: false },
  domain: {
    records: 'fixed',
    counterpart: 'automatic',
    certificate: { status: 'none', issuers: ['letsencrypt.org', 'pki.goog'] },
  },
};
