import { decodeAddress, escapeAddress } from '../../../routers/rules/hosting/address-pattern.ts';

/**
 * Translates the path of a request into the name of a file in a manifest. The functions are pure and never ask a file
 * system, so what is not in the manifest does not exist.
 */

/**
 * Most paths match this: there is nothing to decode and nothing to refuse. Dots after a slash and non-ASCII need care.
 */
const PLAIN = /^\/(?!\.)(?:[A-Za-z0-9_~!$&'()*+,;=:@-]|\.|\/(?![./]))*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0001-\u001f\u007f-\u009f]/;

export type RequestPath = {
  /** Decoded once, NFC, without the leading slash; empty for `/`. A path that no file can have holds a NUL. */
  file: string;
  /** The path as requested, without the leading slash, and fit for a header. */
  raw: string;
  /** The query with its question mark; empty when there is none. */
  query: string;
};

/** Returns null when the path is to be refused with 400. `target` begins with a slash. */
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
 * Returns the `Location` for a requested path of the same site. It begins with exactly one slash, so that it can never
 * name another host, as `//host` would.
 */
export function locationOf({ raw, query }: Pick<RequestPath, 'raw' | 'query'>): string {
  return `/${raw.replace(/^\/+/, '')}${query}`;
}
