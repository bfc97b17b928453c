import { decodeAddress, escapeAddress } from '../../../routers/rules/hosting/address-pattern.ts';

/**
 * From the path of a request to the name of a file in a manifest: pure, and no file system is
 * ever asked, so what is not in the manifest does not exist.
 */

/**
 * Most paths match this: there is nothing to decode and nothing to refuse. Dots after a slash and non-ASCII need care.
 */
const PLAIN = /^\/(?!\.)(?:[A-Za-z0-9_~!$&'()*+,;=:@-]|\.|\/(?![./]))*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0001-\u001f\u007f-\u009f]/;

export type RequestPath = {
  /** Decoded once, NFC, without the leading slash; empty for `/`. What no file can be called holds a NUL. */
  file: string;
  /** As it was asked for, without the leading slash, and fit for a header. */
  raw: string;
  /** The query keeps its question mark, or is empty. */
  query: string;
};

/** Null when the path is to be refused with 400. `target` begins with a slash. */
export function readRequestPath(target: string): RequestPath | null {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark);
  const asked = path.slice(1);
  if (PLAIN.test(path)) return { file: asked, raw: asked, query };
  const file = decodeCarefully(asked);
  return file === null ? null : { file, raw: escapeAddress(asked), query };
}

function decodeCarefully(path: string): string | null {
  // A fragment is never sent by a client that follows RFC 9112, 3.2.
  if (path.includes('\\') || path.includes('#')) return null;
  const file = decodeAddress(path);
  if (file === null || CONTROL.test(file)) return null;
  return file.split('/').some((segment) => segment === '.' || segment === '..') ? null : file;
}

/**
 * The `Location` of a path of the same site, as it was asked for: always one slash, so that it can never name another
 * host, as `//host` would.
 */
export function locationOf({ raw, query }: Pick<RequestPath, 'raw' | 'query'>): string {
  return `/${raw.replace(/^\/+/, '')}${query}`;
}
