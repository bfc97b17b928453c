import { githubPagesCapabilities } from './github-pages.ts';
import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;

export const renderCapabilities: PlatformCapabilities = {
  publish: 'viaGit',
  requires: ['connection', 'githubConnection', 'publicFiles'],
  // The repository's, and the time in which new images are taken there; Render publishes no limit of static sites.
  limits: { ...githubPagesCapabilities.limits, settleMs: 5 * MINUTE_MS },
  refusedNames: null,
  specialFiles: [],
  basePath: 'root',
  draft: false,
  rollBack: true,
  cancel: true,
  log: false,
  serving: { notFoundPage: false, singlePage: false, redirects: false },
  domain: {
    records: 'fixed',
    apex: 'aliasOrA',
    proof: 'none',
    counterpart: 'automatic',
    max: null,
    certificate: { status: 'none', request: 'automatic' },
  },
};
