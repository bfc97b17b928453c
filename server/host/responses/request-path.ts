import { normalForm } from '../../../routers/schemas/normal-form.ts';

/**
 * From the path of a request to the name of a file in a manifest: pure, and no file system is
 * ever asked, so what is not in the manifest does not exist.
 */

/**
 * Most paths match this: there is nothing to decode and nothing to refuse. Dots after a slash and non-ASCII need care.
 */
const PLAIN = /^\/(?!\.)(?:[A-Za-z0-9_~!$&'()*+,;=:@-]|\.|\/(?![./]))*$/;
/** A slash or backslash in disguise (CVE-2026-27585 and its kin were bypasses by exactly these). */
const DISGUISED = /%2f|%5c|\\/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export type RequestPath = {
  /** Decoded once, NFC, without the leading slash; empty for `/`. */
  file: string;
  /** The query keeps its question mark, or is empty. */
  query: string;
};

/** Null when the path is to be refused with 400. `target` begins with a slash. */
export function readRequestPath(target: string): RequestPath | null {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark);
  if (PLAIN.test(path)) return { file: path.slice(1), query };
  const file = decodeCarefully(path);
  return file === null ? null : { file, query };
}

function decodeCarefully(path: string): string | null {
  // A fragment is never sent by a client that follows RFC 9112, 3.2.
  if (DISGUISED.test(path) || path.includes('#')) return null;
  const decoded = decodeOnce(path);
  const file = decoded === null || CONTROL.test(decoded) ? null : normalForm(decoded.slice(1));
  if (file === null) return null;
  return file.split('/').some((segment) => segment === '.' || segment === '..') ? null : file;
}

/** Null for a broken escape and for bytes that are no UTF-8. */
function decodeOnce(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/**
 * The `Location` of a file or folder of the release: always one slash and re-encoded segments, so that it can never
 * name another host, as `//host` would.
 */
export function locationOf(file: string, query: string): string {
  const segments = file.replace(/^\/+/, '').split('/');
  return `/${segments.map(encodeURIComponent).join('/')}${query}`;
}
