import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;
const MEGABYTE = 1024 ** 2;

export const githubPagesCapabilities = {
  publish: 'upload',
  requires: ['connection', 'publicFiles'],
  furtherConnections: [],
  limits: {
    // docs.github.com, "About large files on GitHub" (2026-07).
    maxFileBytes: 100 * MEGABYTE,
    // docs.github.com, "GitHub Pages limits" (2026-07): published sites may be no larger than 1 GB.
    maxTotalBytes: 1024 * MEGABYTE,
    // 500 new images and the like are accepted in an hour, and thousands of them take some hours: the build has a limit
    // of its own.
    releaseMs: 24 * 60 * MINUTE_MS,
    // Its answers may be cached for 10 minutes on the way to a visitor.
    settleMs: 15 * MINUTE_MS,
  },
  refusedNames: null,
  foldsCase: false,
  specialFiles: ['.nojekyll', 'CNAME'],
  basePath: 'repositoryFolder',
  draft: false,
  // Each rollback is a commit, which GitHub builds like any other: "It can take up to 10 minutes for changes to your
  // site to publish" (docs.github.com, "Creating a GitHub Pages site"). A lower bound is not documented.
  rollBack: { takes: 'minutes, ten at most', again: 'builds' },
  cancel: false,
  log: false,
  // A site cannot set headers there.
  serving: { notFoundPage: true, singlePage: false, redirects: false, packedFiles: false },
  domain: {
    records: 'fixed',
    counterpart: 'automatic',
    certificate: { status: 'full', issuers: ['letsencrypt.org'] },
  },
} satisfies PlatformCapabilities;
