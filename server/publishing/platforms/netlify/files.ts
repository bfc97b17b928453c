import { createHash } from 'node:crypto';
import type { PlatformCall, PublishRequest } from '../platform.ts';
import { type Content, contentsOf } from '../send-files.ts';

const REDIRECTS = '_redirects';
/** Shows the entry page for missing files: docs.netlify.com, "Rewrites and proxies", history pushstate. */
const SINGLE_PAGE_RULE = '/*  /index.html  200\n';

/** A content with the digest that Netlify names it by; a generated file has its bytes here. */
export type NetlifyContent = Content & { sha1: string; bytes?: Uint8Array };
export type NetlifyFiles = { manifest: Readonly<Record<string, string>>; contents: readonly NetlifyContent[] };

/**
 * Returns the release in Netlify's form: every path with its SHA-1. Netlify follows `_redirects` and `_headers`
 * itself; a single-page site has its rule added after its own rules, of which the first that fits applies.
 */
export async function filesOf(call: PlatformCall, request: PublishRequest): Promise<NetlifyFiles> {
  const files = new Map(request.manifest);
  const rules = call.destination.isSinglePage ? await singlePageRules(call, request) : null;
  if (rules !== null) files.set(REDIRECTS, { sha256: digest('sha256', rules), sizeBytes: rules.byteLength });
  const bytesOf = new Map(rules === null ? [] : [[digest('sha256', rules), rules]]);

  const contents = contentsOf(files);
  const stored = contents.map(({ sha256 }) => sha256).filter((sha256) => !bytesOf.has(sha256));
  const sha1s = new Map(await request.sha1Of(stored));
  for (const [sha256, bytes] of bytesOf) sha1s.set(sha256, digest('sha1', bytes));
  const sha1Of = (sha256: string): string => {
    const sha1 = sha1s.get(sha256);
    if (sha1 === undefined) throw new Error(`The SHA-1 of ${sha256} is not on record.`);
    return sha1;
  };
  return {
    manifest: Object.fromEntries([...files].map(([path, { sha256 }]) => [path, sha1Of(sha256)])),
    contents: contents.map((content) => {
      const bytes = bytesOf.get(content.sha256);
      return { ...content, sha1: sha1Of(content.sha256), ...(bytes !== undefined && { bytes }) };
    }),
  };
}

async function singlePageRules({ store }: PlatformCall, { manifest }: PublishRequest): Promise<Buffer> {
  const own = manifest.get(REDIRECTS);
  const rules = own === undefined ? '' : `${(await store.readWhole(own.sha256)).toString('utf8')}\n`;
  return Buffer.from(`${rules}${SINGLE_PAGE_RULE}`);
}

function digest(algorithm: 'sha1' | 'sha256', bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('hex');
}
