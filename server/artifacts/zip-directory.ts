import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { isOsJunk } from '../../routers/schemas/left-out-files.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { normalisePath } from '../../routers/schemas/normal-form.ts';
import { pathRefusal } from '../../routers/schemas/upload-rules.ts';
import { checkEnd } from './zip-end.ts';
import { type OpenZip, WindowReader } from './zip-file.ts';
import { ENTRIES_MAX, ZipRefusal } from './zip-refusal.ts';

/** One entry as the directory at the end of the archive has it. */
export type ZipEntry = {
  /** Normalised; the single root is still on. A folder's ends with a slash. */
  path: string;
  isFolder: boolean;
  /** These are the bytes of the name, one a character: what the local header must repeat. */
  rawName: string;
  flags: number;
  method: number;
  checksum: number;
  compressedBytes: number;
  sizeBytes: number;
  headerStart: number;
};

export type ZipDirectory = { entries: ZipEntry[]; start: number };

export const STORED = 0;
export const DEFLATED = 8;
/** APPNOTE 4.4.4 defines these bits. */
export const FLAG_ENCRYPTED = 0x0001;
export const FLAG_UTF8 = 0x0800;

/** Longer names are refused before they are decoded; those with a root on may be longer than a path. */
const RAW_NAME_MAX_BYTES = 4 * UPLOAD_LIMITS.maxPathBytes;
/**
 * How many times its size an archive may unpack to: the whole once it is over 100 MiB, one entry once it is over 1 MiB.
 */
const ARCHIVE_RATIO = { over: 100 * 1024 * 1024, max: 200 };
const ENTRY_RATIO = { over: 1024 * 1024, max: 1_000 };

/** On these systems the upper half of the external attributes is a Unix mode (APPNOTE 4.4.2). */
const UNIX_SYSTEMS: ReadonlySet<number> = new Set([3, 19]);
const TYPE_MASK = 0o170000;
const TYPE_FILE = 0o100000;
const TYPE_FOLDER = 0o040000;
const TYPE_LINK = 0o120000;

/** Info-ZIP writes a name in UTF-8 beside the one of the header in this field. */
const UNICODE_PATH = 0x7075;

/**
 * Checks the count before anything is read, then the directory in one pass, and what stands behind it. Throws ZipRefusal.
 */
export async function readDirectory(file: OpenZip): Promise<ZipDirectory> {
  const reader = new WindowReader(file);
  const zip = await openDirectory(reader, file.sizeBytes);
  if (zip.entryCount > ENTRIES_MAX) throw new ZipRefusal('too_many_entries');
  const start = cursorOf(zip);
  const entries: ZipEntry[] = [];
  try {
    for await (const record of zip.eachEntry()) {
      const entry = toEntry(record);
      if (entry.compressedBytes > file.sizeBytes) throw new ZipRefusal('out_of_bounds', entry.path);
      entries.push(entry);
    }
  } catch (error) {
    throw refusalOf(error, `entry ${entries.length + 1}`);
  }
  checkEnd(reader, { at: cursorOf(zip), start, entryCount: entries.length });
  checkRatio(entries, file.sizeBytes);
  return { entries, start };
}

async function openDirectory(reader: WindowReader, sizeBytes: number): Promise<ZipFile> {
  try {
    // Names as bytes and sizes as they stand: both are checked here, where the rule can be named.
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
    return await fromRandomAccessReaderPromise(reader, sizeBytes, options);
  } catch (error) {
    throw refusalOf(error, '');
  }
}

/** Returns where the next record is read. Its declared type is a slip: it is an offset. */
function cursorOf(zip: ZipFile): number {
  return Number(zip.readEntryCursor);
}

const REASONS = [
  [/End of central directory record signature not found/, 'not_zip'],
  [/Invalid comment length/, 'trailing_data'],
  [/multi-disk/, 'several_parts'],
  [/strong encryption/, 'encrypted'],
] as const;

/** Returns what yauzl (3.4.0, index.js) says in words. */
function refusalOf(error: unknown, path: string): unknown {
  if (error instanceof ZipRefusal || !(error instanceof Error) || 'errno' in error) return error;
  const known = REASONS.find(([pattern]) => pattern.test(error.message));
  return new ZipRefusal(known?.[1] ?? 'directory_corrupted', path);
}

function toEntry(entry: Entry): ZipEntry {
  const name = decodedName(entry);
  checkKind(entry, name);
  const isFolder = /[/\\]$/.test(name) || unixType(entry) === TYPE_FOLDER;
  const path = isFolder ? `${normalisePath(name).replace(/\/$/, '')}/` : normalisePath(name);
  // `./` is the folder that everything lies in.
  if (!/^\.[/\\]$/.test(name)) checkName(path);
  if (isFolder && (entry.uncompressedSize !== 0 || entry.crc32 !== 0)) throw new ZipRefusal('folder_with_data', path);
  return {
    path,
    isFolder,
    rawName: entry.fileNameRaw.toString('latin1'),
    flags: entry.generalPurposeBitFlag,
    method: entry.compressionMethod,
    checksum: entry.crc32,
    compressedBytes: entry.compressedSize,
    sizeBytes: entry.uncompressedSize,
    headerStart: entry.relativeOffsetOfLocalHeader,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_BYTE = /[\u0000-\u001f\u007f]/;
/** The icon of a folder, which is dropped: its name is the one that macOS ends in a line break. */
const FINDER_ICON = /(?:^|\/)Icon\r$/;

/**
 * Decodes a name as UTF-8 where the flag says so or the bytes are valid UTF-8, else as CP437 (APPNOTE.TXT, appendix D).
 */
function decodedName({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  if (fileNameRaw.length > RAW_NAME_MAX_BYTES) throw new ZipRefusal('path_too_long', legibleName(fileNameRaw));
  // On the bytes: CP437 has a picture for each of them, and a check of the decoded name would see the picture.
  if (CONTROL_BYTE.test(fileNameRaw.toString('latin1').replace(FINDER_ICON, ''))) {
    throw new ZipRefusal('control_character', legibleName(fileNameRaw));
  }
  const unicode = decodeUtf8(fileNameRaw);
  if (unicode === null && (generalPurposeBitFlag & FLAG_UTF8) !== 0) {
    throw new ZipRefusal('name_not_utf8', legibleName(fileNameRaw));
  }
  const name = unicode ?? getFileNameLowLevel(0, fileNameRaw, [], true);
  for (const { id, data } of extraFields) {
    if (id !== UNICODE_PATH) continue;
    // A version byte and the checksum of the other name come first.
    const second = decodeUtf8(data.subarray(5));
    if (second === null || normalisePath(second) !== normalisePath(name)) {
      throw new ZipRefusal('renamed_by_extra', name);
    }
  }
  return name;
}

/** Returns the beginning of a name that is refused as it stands, for the person who has to find it. */
function legibleName(raw: Buffer): string {
  const start = raw.subarray(0, RAW_NAME_MAX_BYTES);
  // The cut may go through a character, whose first bytes are then left out.
  return decodeUtf8(start, { stream: start.length < raw.length }) ?? start.toString('latin1');
}

function decodeUtf8(bytes: Uint8Array, options: { stream?: boolean } = {}): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, options);
  } catch {
    return null;
  }
}

/** What kind of thing the entry is, and whether it can be read at all. */
function checkKind(entry: Entry, name: string): void {
  const { generalPurposeBitFlag: flags, compressionMethod: method } = entry;
  const type = unixType(entry);
  if (type === TYPE_LINK) throw new ZipRefusal('symbolic_link', name);
  if (type !== null && type !== TYPE_FILE && type !== TYPE_FOLDER) throw new ZipRefusal('special_file', name);
  if ((flags & FLAG_ENCRYPTED) !== 0) throw new ZipRefusal('encrypted', name);
  if (method !== STORED && method !== DEFLATED) throw new ZipRefusal('method_unsupported', name);
  if (method === STORED && entry.compressedSize !== entry.uncompressedSize) throw new ZipRefusal('size_wrong', name);
  const ratio = entry.uncompressedSize / entry.compressedSize;
  if (entry.uncompressedSize > ENTRY_RATIO.over && ratio > ENTRY_RATIO.max) {
    throw new ZipRefusal('ratio_too_high', name);
  }
}

/** Returns the kind of file where the archive was made on a system that has kinds; null where it tells none. */
function unixType({ versionMadeBy, externalFileAttributes }: Entry): number | null {
  const type = (externalFileAttributes >>> 16) & TYPE_MASK;
  return type !== 0 && UNIX_SYSTEMS.has(versionMadeBy >> 8) ? type : null;
}

/**
 * The rules of names on the name as it stands, before a root is taken off: `C:/x` has none. How long a path is and how
 * deep it lies is judged by what is left of it.
 */
function checkName(path: string): void {
  if (isOsJunk(path)) return;
  const name = path.endsWith('/') ? path.slice(0, -1) : path;
  const reason = pathRefusal(name);
  if (reason !== null && reason !== 'path_too_long' && reason !== 'too_deep') throw new ZipRefusal(reason, path);
}

function checkRatio(entries: readonly ZipEntry[], archiveBytes: number): void {
  let total = 0;
  for (const entry of entries) total += entry.sizeBytes;
  if (total > ARCHIVE_RATIO.over && total / archiveBytes > ARCHIVE_RATIO.max) throw new ZipRefusal('ratio_too_high');
}
