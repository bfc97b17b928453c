/** With an hour of caching, visitors would first see an old `style.css` under new HTML. */
const REVALIDATE = 'public, max-age=0, must-revalidate';
/** The longest time that RFC 9111 caches honour in practice: a year. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Files that build tools write by themselves: scripts, styles, and their maps. */
const BUILT = /\.(?:[cm]?js|css|wasm)(?:\.map)?$/i;
/** Folders of build tools, in which people keep nothing: Next.js, Nuxt, SvelteKit, Astro, Create React App. */
const BUILDERS_FOLDER = /(?:^|\/)(?:_next\/static|_nuxt|_app\/immutable|_astro|static\/media)\//;
/**
 * The folder of Vite, where people keep pictures of their own as well. A file that Vite writes has its hash behind a
 * hyphen.
 */
const ASSETS = /(?:^|\/)assets\/[^/]+-[A-Za-z0-9_-]{8}\.[A-Za-z0-9]+$/;
/** A UUID names a thing and not its content (RFC 9562). */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/**
 * Returns how long a file is cached: for a year when a build tool has named it after its content, otherwise it is
 * revalidated each time. People replace a picture of their own under a name that looks like a hash, and a site that
 * promised that it never changes (RFC 8246) cannot take that back.
 */
export function cacheControlOf(path: string): string {
  const isBuilt = BUILT.test(path) || BUILDERS_FOLDER.test(path) || ASSETS.test(path);
  return isBuilt && isHashedName(path) && !UUID.test(path) ? IMMUTABLE : REVALIDATE;
}

/** More names than these are not listed. Then no name of the site is cached for a year. */
const REUSED_NAMES_MAX = 200;
/** Stands for all names: no file can have this one. */
const ALL_NAMES = '/';

/**
 * Adds the names whose content changed although they are cached for a year: `changed` are the paths that differ from
 * the release before.
 */
export function addReusedNames(known: readonly string[], changed: readonly string[]): string[] {
  const names = new Set([...known, ...changed.filter((path) => cacheControlOf(path) === IMMUTABLE)]);
  return names.size > REUSED_NAMES_MAX || names.has(ALL_NAMES) ? [ALL_NAMES] : [...names];
}

/** Returns the headers of a file; one whose content changed under its name is revalidated each time. */
export function headersOfReused(headers: string[], path: string, reusedNames: readonly string[]): string[] {
  if (reusedNames.length === 0) return headers;
  if (!reusedNames.includes(path) && reusedNames[0] !== ALL_NAMES) return headers;
  return headers.map((value) => (value === IMMUTABLE ? REVALIDATE : value));
}

/** Finds the part behind the last separator of a name without its extension: `3f2a1b9c` of `main.3f2a1b9c`. */
const AFTER_SEPARATOR = /[-._]([A-Za-z0-9]{8,})$/;
const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;
/** Vite, Rollup and esbuild write eight characters, and a hash may contain the separator itself. */
const LAST_EIGHT = /[-.]([A-Za-z0-9_-]{8})\.[A-Za-z0-9]{1,8}(?:\.map)?$/;
/** The hash is the whole name in SvelteKit's chunks and content-addressed images. */
const WHOLE_NAME = /^([0-9a-f]{8,})\.[A-Za-z0-9]{1,8}$/;

/**
 * Returns whether a build tool wrote a hash of the content into the name (8 or more characters of hex or base64url).
 * Names that only look a little like it do not count: a wrong yes searches earlier releases in vain.
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

/**
 * Digits alone, or with one letter, are dates and numbers; letters alone may be a word. From twelve characters on, as
 * Django's hashes have, one letter is enough, unless it ends the part as a version's does.
 */
function isHexHash(text: string): boolean {
  if (!/^[0-9a-f]{8,}$/.test(text) || !/\d/.test(text)) return false;
  return /[a-f]\d*[a-f]/.test(text) || (text.length >= 12 && /[a-f]\d/.test(text));
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
 * Returns whether a part longer than eight characters looks like a hash: it has digits, and both cases or base32
 * capitals.
 */
function isLongMix(text: string): boolean {
  if (text.length < 8 || !/[A-Za-z]\d+[A-Za-z]/.test(text)) return false;
  return /[A-Z][a-z0-9]*[A-Z]/.test(text) && (/[a-z]/.test(text) ? (text.match(/\d+/g) ?? []).length >= 2 : true);
}
