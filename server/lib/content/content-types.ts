import { lookup } from 'mime-types';
import { type Packing, packingOf } from '../../../routers/schemas/packed-files.ts';
import type { ContentFacts } from './content-facts.ts';

/**
 * Types for extensions whose registered type would keep a browser from using the file (sent with `nosniff`), or that
 * have none.
 */
const OWN_TYPES = new Map([
  ['cjs', 'text/javascript'],
  ['cur', 'image/x-icon'],
  ['jfif', 'image/jpeg'],
  ['key', 'application/pgp-keys'],
  ['m4v', 'video/mp4'],
  ['mobileconfig', 'application/x-apple-aspen-config'],
  ['reality', 'model/vnd.reality'],
  ['svgz', 'application/gzip'],
]);

/** File names without an extension whose content is known. */
const BY_NAME = new Map([
  ['apple-app-site-association', 'application/json'],
  ['cname', 'text/plain'],
]);
/** https://spec.matrix.org/latest/client-server-api/#well-known-uri and server-server-api, "Server discovery". */
const MATRIX = /(?:^|\/)\.well-known\/matrix\/(?:client|server|support)$/;

const UNKNOWN_TYPE = 'application/octet-stream';
/** Types that are text besides `text/*`. */
const TEXT =
  /^text\/|[/+](?:json|xml)$|^application\/(?:javascript|yaml|toml|sql|graphql|x-subrip|vnd\.apple\.mpegurl)$/;
const CHARSET = '; charset=utf-8';

/**
 * Returns the media type by the name alone, with UTF-8 for all text; `answeringOf` takes the bytes into account as
 * well.
 */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const extension = extensionOf(name);
  const registered = extension === '' ? false : lookup(extension);
  if (MATRIX.test(path)) return `application/json${CHARSET}`;
  const type = BY_NAME.get(name) ?? OWN_TYPES.get(extension) ?? (registered || UNKNOWN_TYPE);
  return TEXT.test(type) ? `${type}${CHARSET}` : type;
}

const KEYNOTE_TYPE = 'application/vnd.apple.keynote';

/** A file of a release, with the paths of all files of it. */
type ReleasePath = { path: string; paths: { has(path: string): boolean } };

/**
 * Returns whether the content decides about the headers of a file: its encoding as text, and the meaning of its
 * extension.
 */
export function isDecidedByContent({ path, paths }: ReleasePath): boolean {
  return isTextPath(path) || extensionOf(path) === 'key' || packingOf(path, paths) !== null;
}

/**
 * The headers that depend on the content; `coding` tells how the file was packed before it was uploaded, which the
 * browser undoes.
 */
export type Answering = { type: string; coding: Packing['coding'] | null };

/**
 * Returns the headers of a file whose content is known. A header would beat the page's own statement of its encoding
 * (HTML standard, "determining the character encoding"; RFC 7303, 3.2), so none is named for a file that is not UTF-8.
 */
export function answeringOf({ path, paths }: ReleasePath, { isUtf8, kind }: ContentFacts): Answering {
  const packing = packingOf(path, paths);
  // Brotli has no mark of its own, so its name is believed.
  if (packing !== null && (packing.coding === 'br' || kind === 'gzip')) {
    return { type: contentTypeOf(packing.inner).replace(CHARSET, ''), coding: packing.coding };
  }
  if (extensionOf(path) === 'key') {
    return { type: kind === 'zip' ? KEYNOTE_TYPE : isUtf8 ? `text/plain${CHARSET}` : UNKNOWN_TYPE, coding: null };
  }
  const type = contentTypeOf(path);
  return { type: isUtf8 ? type : type.replace(CHARSET, ''), coding: null };
}

/** Returns whether a file is text, so that compressing it is worth a try. */
export function isTextPath(path: string): boolean {
  return contentTypeOf(path).endsWith(CHARSET);
}

/** Returns the extension in lower case and without its dot; it is empty for `README` and for `.htaccess`. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
