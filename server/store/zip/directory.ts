import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { decodeLegibly } from '../../../routers/rules/zip/zip-encodings.ts';
import { type EntryKind, readName, unixKind } from '../../../routers/rules/zip/zip-names.ts';
import { normalisePath } from '../../../routers/schemas/normal-form.ts';
import { checkEnd } from './end.ts';
import { type OpenZip, WindowReader } from './file.ts';
import { ENTRIES_MAX, ZipRefusal } from './refusal.ts';

/** One entry as the directory at the end of the archive has it. */
export type ZipEntry = {
  /** The name for a refusal, until the real name is read (names.ts). */
  path: string;
  /** Null when its bytes can be read in several ways. */
  name: string | null;
  kind: EntryKind | null;
  /** The bytes of the name, one a character. */
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
/** APPNOTE 4.4.4 defines this bit. */
export const FLAG_ENCRYPTED = 0x0001;

/**
 * The largest ratio of unpacked to packed size: for the archive once it is over 100 MiB, for one entry once it is over
 * 1 MiB.
 */
const ARCHIVE_RATIO = { over: 100 * 1024 * 1024, max: 200 };
const ENTRY_RATIO = { over: 1024 * 1024, max: 1_000 };

/**
 * Checks the count before anything is read, then the directory in one pass, and the records behind it. Throws
 * ZipRefusal.
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
    // Names as bytes and sizes unchecked: both are checked here, where the rule can be named.
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
    return await fromRandomAccessReaderPromise(reader, sizeBytes, options);
  } catch (error) {
    throw refusalOf(error, '');
  }
}

/** Returns the offset of the next record to be read; its declared type is a mistake. */
function cursorOf(zip: ZipFile): number {
  return Number(zip.readEntryCursor);
}

const REASONS = [
  [/End of central directory record signature not found/, 'not_zip'],
  [/Invalid comment length/, 'trailing_data'],
  [/multi-disk/, 'several_parts'],
  [/strong encryption/, 'encrypted'],
] as const;

/** Returns the refusal for an error message of yauzl (3.4.0, index.js). */
function refusalOf(error: unknown, path: string): unknown {
  if (error instanceof ZipRefusal || !(error instanceof Error) || 'errno' in error) return error;
  const known = REASONS.find(([pattern]) => pattern.test(error.message));
  return new ZipRefusal(known?.[1] ?? 'directory_corrupted', path);
}

function toEntry(entry: Entry): ZipEntry {
  const { fileNameRaw, generalPurposeBitFlag: flags } = entry;
  const { name, refusal } = readName(fileNameRaw, flags, entry.extraFields);
  const path = name ?? decodeLegibly(fileNameRaw);
  if (refusal !== null) throw new ZipRefusal(refusal, path);
  const kind = unixKind(entry.versionMadeBy >> 8, entry.externalFileAttributes);
  checkKind(entry, kind, path);
  return {
    path: normalisePath(path),
    name,
    kind,
    rawName: fileNameRaw.toString('latin1'),
    flags,
    method: entry.compressionMethod,
    checksum: entry.crc32,
    compressedBytes: entry.compressedSize,
    sizeBytes: entry.uncompressedSize,
    headerStart: entry.relativeOffsetOfLocalHeader,
  };
}

/** Refuses special files and entries that cannot be read. */
function checkKind(entry: Entry, kind: EntryKind | null, name: string): void {
  const { generalPurposeBitFlag: flags, compressionMethod: method } = entry;
  if (kind === 'special') throw new ZipRefusal('special_file', name);
  if ((flags & FLAG_ENCRYPTED) !== 0) throw new ZipRefusal('encrypted', name);
  if (method !== STORED && method !== DEFLATED) throw new ZipRefusal('method_unsupported', name);
  if (method === STORED && entry.compressedSize !== entry.uncompressedSize) throw new ZipRefusal('size_wrong', name);
  const ratio = entry.uncompressedSize / entry.compressedSize;
  if (entry.uncompressedSize > ENTRY_RATIO.over && ratio > ENTRY_RATIO.max) {
    throw new ZipRefusal('ratio_too_high', name);
  }
}

function checkRatio(entries: readonly ZipEntry[], archiveBytes: number): void {
  let total = 0;
  for (const entry of entries) total += entry.sizeBytes;
  if (total > ARCHIVE_RATIO.over && total / archiveBytes > ARCHIVE_RATIO.max) throw new ZipRefusal('ratio_too_high');
}
