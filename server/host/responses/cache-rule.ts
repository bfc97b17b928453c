/** An hour of an old `style.css` under new HTML is what visitors would see first. */
const REVALIDATE = 'public, max-age=0, must-revalidate';
/** The longest that RFC 9111 caches honour in practice: a year. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** For a year where the name tells the content, else asked about each time. */
export function cacheControlOf(path: string): string {
  return isHashedName(path) ? IMMUTABLE : REVALIDATE;
}

/** Finds what stands behind the last separator of a name without its extension: `3f2a1b9c` of `main.3f2a1b9c`. */
const AFTER_SEPARATOR = /[-._]([A-Za-z0-9]{8,})$/;
const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;
/** Vite, Rollup and esbuild write eight characters, and a hash may hold the separator itself. */
const LAST_EIGHT = /[-.]([A-Za-z0-9_-]{8})\.[A-Za-z0-9]{1,8}(?:\.map)?$/;
/** The whole name: SvelteKit's chunks, content-addressed images. */
const WHOLE_NAME = /^([0-9a-f]{8,})\.[A-Za-z0-9]{1,8}$/;

/**
 * Returns whether a build tool wrote a hash of the content into the name (8 or more characters of hex or base64url).
 * Names that only look a little like it are not taken: a wrong yes keeps an old file for a year, a wrong no costs a
 * 304.
 */
export function isHashedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:chunk|bundle|min)(?=\.)/g, '');
  if (/\.html?$/i.test(name)) return false;
  const whole = WHOLE_NAME.exec(name)?.[1];
  if (whole !== undefined) return isHexHash(whole);
  const eight = LAST_EIGHT.exec(name)?.[1];
  if (eight !== undefined && (isHexHash(eight) || isMixed(eight))) return true;
  const tail = tailOf(name) ?? (name.endsWith('.map') ? tailOf(name.replace(EXTENSION, '')) : undefined);
  return tail !== undefined && (isHexHash(tail) || isLongMix(tail));
}

/** Undefined for a name without an extension. */
function tailOf(name: string): string | undefined {
  const stem = name.replace(EXTENSION, '');
  return stem === name ? undefined : AFTER_SEPARATOR.exec(stem)?.[1];
}

/** Digits alone are dates and numbers, letters alone may be a word. */
function isHexHash(text: string): boolean {
  return /^[0-9a-f]{8,}$/.test(text) && /\d/.test(text) && /[a-f]/.test(text);
}

/** Words, also numbered (`photo001`, `IMG00042`), capitalised or in camel case (`fancyBox`), are no hashes. */
function isMixed(eight: string): boolean {
  if (!/[A-Z]/.test(eight)) return /[a-z]\d+[a-z]+\d/.test(eight);
  if (/^(?:[A-Za-z]?[a-z]+|[A-Z]+)[-_]?\d*$/.test(eight)) return false;
  if (/^[A-Z]+[-_][A-Z]+$/.test(eight) || /^(?:[A-Z]?[a-z]+[-_])+[A-Z]?[a-z]+$/.test(eight)) return false;
  return !isCamelCase(eight) && !/^\d*[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)?\d+$|^\d+[A-Z][a-z]+(?:[A-Z][a-z]+)?$/.test(eight);
}

function isCamelCase(text: string): boolean {
  if (!/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)+\d*$/.test(text)) return false;
  return text.split(/(?=[A-Z])/).every((word) => word.length >= 2 && /[aeiouy]/i.test(word));
}

/**
 * Returns whether a part longer than eight letters looks like a hash: digits within, and both cases or base32 capitals.
 */
function isLongMix(text: string): boolean {
  if (text.length < 8 || !/[A-Za-z]\d+[A-Za-z]/.test(text)) return false;
  return /[A-Z][a-z0-9]*[A-Z]/.test(text) && (/[a-z]/.test(text) ? (text.match(/\d+/g) ?? []).length >= 2 : true);
}
