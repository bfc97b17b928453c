import type { PlatformCapabilities } from './platform-capabilities.ts';

const MINUTE_MS = 60_000;

export const netlifyCapabilities: PlatformCapabilities = {
  publish: 'upload',
  requires: ['connection'],
  furtherConnections: [],
  // netlify-cli 26.2.0 times out after 20 minutes. Netlify publishes no limit for the number or the size of files.
  limits: { releaseMs: 20 * MINUTE_MS, settleMs: MINUTE_MS },
  // netlify-cli 26.2.0, util.ts: "Deployed filenames cannot contain # or ? characters".
  refusedNames: /[#?]/,
  // Of two such names one is served (jvt.me, 2019-11-11), and addresses are redirected to lower case (mdn/yari, issue
  // 35).
  foldsCase: true,
  specialFiles: ['_redirects', '_headers', 'netlify.toml'],
  basePath: 'root',
  draft: true,
  // "Rollbacks are instantaneous" (docs.netlify.com, "Manage deploys"); settleMs above.
  rollBack: { takes: 'seconds, a minute at most' },
  cancel: true,
  log: false,
  // docs.netlify.com, "Custom headers", "Limitations" (2026): a Content-Encoding of the site's own is typically
  // ignored.
  serving: { notFoundPage: true, singlePage: true, redirects: true, ownRules: true, packedFiles: false },
  domain: {
    records: 'fixed',
    counterpart: 'automatic',
    certificate: { status: 'full', issuers: ['letsencrypt.org'] },
  },
};
