import { UPLOAD_LIMITS } from '../../schemas/limits.ts';
import { normalisePath } from '../../schemas/normal-form.ts';
import { crc32 } from './crc32.ts';

/**
 * These functions read the names and kinds of a ZIP's entries, in the browser, which shows them, as on the server, which
 * publishes them. zip-encodings.ts decodes ambiguous bytes.
 */

export type ExtraField = { id: number; data: Uint8Array };

/** The rules that a name can break before its path is known. */
export type NameRefusal = 'path_too_long' | 'control_character' | 'name_not_utf8' | 'renamed_by_extra';

/** `name` is null when its bytes are ambiguous; a refused one is for display alone. */
export type NameReading = { name: string | null; refusal: NameRefusal | null };

/** Longer names are refused before they are decoded; with their root they may be longer than a path. */
const RAW_NAME_MAX_BYTES = 2 * UPLOAD_LIMITS.maxPathBytes;
/** APPNOTE 4.4.4 defines this bit: the name is UTF-8. */
export const FLAG_UTF8 = 0x0800;
/** APPNOTE 4.6.9: the name in UTF-8, after a version and the checksum of the name that it replaces. */
export const UNICODE_PATH = 0x7075;
const UNICODE_PATH_VERSION = 1;
const UNICODE_PATH_HEAD_BYTES = 5;

/** Reads the name of an entry, as far as the entry itself shows it. */
export function readName(rawName: Uint8Array, flags: number, extraFields: readonly ExtraField[]): NameReading {
  if (rawName.length > RAW_NAME_MAX_BYTES) return refused('path_too_long', rawName);
  // The check is on the bytes: a code page has a picture for each of them, and the decoded name would show that.
  if (withoutFinderIcon(rawName).some((byte) => byte < 0x20 || byte === 0x7f)) {
    return refused('control_character', rawName);
  }
  const isUtf8 = (flags & FLAG_UTF8) !== 0;
  const isAscii = rawName.every((byte) => byte < 0x80);
  const own = isUtf8 || isAscii ? decodeUtf8(rawName) : null;
  if (isUtf8 && own === null) return refused('name_not_utf8', rawName);
  const others = unicodePaths(rawName, extraFields);
  if (others.length === 0) return { name: own, refusal: null };
  if (others.includes(null)) return refused('name_not_utf8', rawName);
  // With the flag the name declares itself the true one.
  const names = new Set([...(isUtf8 ? [own] : []), ...others].map((name) => normalisePath(name ?? '')));
  if (names.size > 1) return refused('renamed_by_extra', rawName);
  return { name: others[0] ?? own, refusal: null };
}

/** Removes the line break of the Finder's icon of a folder, which is dropped (left-out-files.ts). */
function withoutFinderIcon(rawName: Uint8Array): Uint8Array {
  if (rawName.at(-1) !== 0x0d) return rawName;
  return /(?:^|\/)Icon\r$/.test(String.fromCharCode(...rawName.subarray(-6))) ? rawName.subarray(0, -1) : rawName;
}

/**
 * Returns the names in the fields that were made for this exact name; null for one that is not UTF-8. A field with
 * another checksum was left by a program that renamed the file, and is ignored.
 */
function unicodePaths(rawName: Uint8Array, extraFields: readonly ExtraField[]): (string | null)[] {
  return extraFields
    .filter(({ id, data }) => {
      if (id !== UNICODE_PATH || data.length < UNICODE_PATH_HEAD_BYTES || data[0] !== UNICODE_PATH_VERSION)
        return false;
      return new DataView(data.buffer, data.byteOffset, data.length).getUint32(1, true) === crc32(rawName);
    })
    .map(({ data }) => decodeUtf8(data.subarray(UNICODE_PATH_HEAD_BYTES)));
}

function refused(refusal: NameRefusal, rawName: Uint8Array): NameReading {
  const start = rawName.subarray(0, RAW_NAME_MAX_BYTES);
  // The cut may go through a character, whose first bytes are then left out.
  const name = decodeUtf8(start, { stream: start.length < rawName.length }) ?? String.fromCharCode(...start);
  return { name, refusal };
}

const UTF8 = { fatal: true, ignoreBOM: true };
/** All names share one decoder: making one takes longer than decoding a name. */
const utf8 = new TextDecoder('utf-8', UTF8);

export function decodeUtf8(bytes: Uint8Array, { stream = false } = {}): string | null {
  try {
    // A decoder that expects more keeps undecoded bytes.
    return stream ? new TextDecoder('utf-8', UTF8).decode(bytes, { stream }) : utf8.decode(bytes);
  } catch {
    return null;
  }
}

export type EntryKind = 'file' | 'folder' | 'link' | 'special';

/**
 * On these systems the upper half of the external attributes is a Unix mode (APPNOTE 4.4.2); other systems have no
 * mode there.
 */
const UNIX_SYSTEMS: ReadonlySet<number> = new Set([3, 19]);
const TYPE_MASK = 0o170000;
const KINDS: ReadonlyMap<number, EntryKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

/** Returns the kind of an entry from a system that has kinds; null when there is none. */
export function unixKind(madeBySystem: number, attributes: number): EntryKind | null {
  const type = (attributes >>> 16) & TYPE_MASK;
  return type !== 0 && UNIX_SYSTEMS.has(madeBySystem) ? (KINDS.get(type) ?? 'special') : null;
}

export type EntryPath = {
  /** The normalised path, with the single root; a folder's ends with a slash. */
  path: string;
  isFolder: boolean;
  /** True for the folder around everything (`/`, `./`): it names nothing. */
  isRoot: boolean;
};

/**
 * Turns the names of an archive into paths. If each of them begins with one slash, it is removed: some exporters write
 * them so, against APPNOTE 4.4.17.1.
 */
export function entryPaths(entries: readonly { name: string; kind: EntryKind | null }[]): EntryPath[] {
  const slashed = entries.map(({ name, kind }) => ({ name: name.replaceAll('\\', '/'), kind }));
  const isSlashFirst = slashed.every(({ name }) => isRootName(name) || /^\/(?!\/)/.test(name));
  return slashed.map(({ name, kind }) => {
    const isFolder = name.endsWith('/') || kind === 'folder';
    const own = normalisePath(isSlashFirst && !isRootName(name) ? name.slice(1) : name);
    return { path: isFolder ? `${own.replace(/\/$/, '')}/` : own, isFolder, isRoot: isRootName(name) };
  });
}

function isRootName(name: string): boolean {
  return name === '/' || name === './';
}

/** Splits an extra field into its blocks (APPNOTE 4.5.1), as far as they are complete. */
export function extraFieldsOf(extra: Uint8Array): ExtraField[] {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.length);
  const found: ExtraField[] = [];
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (end > extra.length) break;
    found.push({ id: view.getUint16(at, true), data: extra.subarray(at + 4, end) });
    at = end;
  }
  return found;
}
