import { visiblePath } from '../../../routers/rules/uploads/upload-rules.ts';
import { crc32 } from '../../../routers/rules/zip/crc32.ts';
import {
  decodeLegibly,
  type GuessedName,
  guessNames,
  type PageBytes,
  pagesToGuessBy,
} from '../../../routers/rules/zip/zip-encodings.ts';
import {
  type EntryKind,
  type ExtraField,
  entryPaths,
  extraFieldsOf,
  readName,
  unixKind,
} from '../../../routers/rules/zip/zip-names.ts';
import { paddingBehind } from '../../../routers/rules/zip/zip-padding.ts';
import { SELECTION_FILES_MAX, type SelectedZip, SelectionUnreadable, type ZippedFile } from './selection.ts';

/**
 * The browser's own reader of a ZIP: its directory, and single files out of it, so that a person sees its contents
 * before anything is sent. The server decides what may be published, by its own reading of the whole.
 */

/**
 * Reads the directory of a ZIP.
 *
 * @throws SelectionUnreadable when it is no ZIP, is damaged, or contains what cannot be published
 */
export async function readZip(zip: File): Promise<SelectedZip> {
  const listed = await readDirectory(zip, SELECTION_FILES_MAX);
  const names = await readNames(zip, listed);
  const paths = entryPaths(listed.map(({ kind }, index) => ({ kind, name: names[index]?.name ?? '' })));
  const entries = listed.flatMap((entry, index) => {
    const { path = '', isFolder = false } = paths[index] ?? {};
    if (!isFolder) return [zippedFile(zip, entry, { path, encoding: names[index]?.encoding ?? null })];
    if (entry.sizeBytes > 0) throw unreadable(zip, `lists ${path} as a folder, but gives it content like a file`);
    return [];
  });
  if (entries.length === 0) {
    throw new SelectionUnreadable(`${zip.name} holds no files. Choose the ZIP with your index.html.`);
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { name: zip.name.replace(/\.zip$/i, ''), zip, within: '', entries };
}

async function readNames(zip: File, entries: readonly ZipEntry[]): Promise<GuessedName[]> {
  const sure = entries.map((entry) => nameOf(zip, entry));
  const unsure = entries.filter((_, index) => sure[index] === null);
  const pages = unsure.length === 0 ? [] : await readPages(zip, entries);
  const guessed = guessNames(
    unsure.map(({ rawName }) => rawName),
    pages,
  );
  let next = 0;
  return sure.map((name) => {
    if (name !== null) return { name, encoding: null };
    next += 1;
    return guessed[next - 1] ?? { name: '', encoding: null };
  });
}

/** A damaged page is reported when it is sent; nothing is guessed by it. */
async function readPages(zip: File, entries: readonly ZipEntry[]): Promise<PageBytes[]> {
  const pages = pagesToGuessBy(entries.filter((entry) => unusable(entry) === null));
  const read = await Promise.all(
    pages.map(async (entry) => {
      const page = await unpackEntry(zip, entry, decodeLegibly(entry.rawName)).catch(() => null);
      return page === null ? [] : [{ rawName: entry.rawName, bytes: new Uint8Array(await page.arrayBuffer()) }];
    }),
  );
  return read.flat();
}

/** Returns null when the entry does not tell its name. */
function nameOf(zip: File, { rawName, flags, extraFields }: ZipEntry): string | null {
  const { name, refusal } = readName(rawName, flags, extraFields);
  if (refusal === null) return name;
  throw new SelectionUnreadable(
    `${visiblePath(name ?? '').slice(0, SHOWN_PATH_LENGTH)} in ${zip.name} has a name that cannot be read reliably. Create the ZIP again, or choose the folder instead.`,
  );
}

/** A hostile name may have 64 KB. */
const SHOWN_PATH_LENGTH = 120;

function zippedFile(zip: File, entry: ZipEntry, named: Pick<ZippedFile, 'path' | 'encoding'>): ZippedFile {
  const { path } = named;
  const reason = unusable(entry);
  if (reason !== null) throw new SelectionUnreadable(`${path} in ${zip.name} ${reason}`);
  return {
    ...named,
    isLink: entry.kind === 'link',
    sizeBytes: entry.sizeBytes,
    unpack: () => unpackEntry(zip, entry, path),
  };
}

function unusable({ flags, method, kind }: ZipEntry): string | null {
  if ((flags & 1) !== 0) return 'is locked with a password. Make a ZIP without one.';
  if (method !== 0 && method !== 8)
    return 'uses a compression method that is not supported. Create the ZIP again, or choose the folder instead.';
  if (kind === 'special') return 'is a special system file (a device or a pipe). Create the ZIP again without it.';
  return null;
}

async function unpackEntry(zip: File, entry: ZipEntry, path: string): Promise<File> {
  const start = await dataStart(zip, entry, path);
  const packed = zip.slice(start, start + entry.packedBytes);
  // Some packers write "deflated" for an empty file.
  const isStored = entry.method === 0 || entry.packedBytes === 0;
  const stream = isStored ? packed.stream() : packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let crc = 0;
  try {
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > entry.sizeBytes) throw new Error('more bytes than listed');
      crc = crc32(part.value, crc);
      parts.push(part.value);
    }
  } catch (cause) {
    throw corrupted(zip, path, cause);
  }
  if (size !== entry.sizeBytes || crc !== entry.crc) throw corrupted(zip, path, new Error('other bytes than listed'));
  return new File(parts, path.slice(path.lastIndexOf('/') + 1), { lastModified: zip.lastModified });
}

/**
 * Finds where the bytes of an entry begin: behind its own header, whose name and extra field may be longer or shorter
 * than those of the directory (APPNOTE 4.3.7).
 */
async function dataStart(zip: File, entry: ZipEntry, path: string): Promise<number> {
  const header = await zip
    .slice(entry.headerStart, entry.headerStart + 30)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw corrupted(zip, path, cause);
    });
  const view = new DataView(header);
  if (view.byteLength < 30 || view.getUint32(0, true) !== 0x04034b50) {
    throw corrupted(zip, path, new Error('no header where the directory says'));
  }
  return entry.headerStart + 30 + view.getUint16(26, true) + view.getUint16(28, true);
}

function corrupted(zip: File, path: string, cause: unknown): SelectionUnreadable {
  return new SelectionUnreadable(
    `${path} in ${zip.name} is damaged. Create the ZIP again, or choose the folder instead.`,
    {
      cause,
    },
  );
}

/** One row of a ZIP's directory (APPNOTE 4.3.12), with its unchanged name. */
type ZipEntry = {
  rawName: Uint8Array<ArrayBuffer>;
  extraFields: readonly ExtraField[];
  kind: EntryKind | null;
  flags: number;
  method: number;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  headerStart: number;
};

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const END_RECORD_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const DIRECTORY_ROW = 0x02014b50;
const DIRECTORY_ROW_BYTES = 46;
/** A 16 or 32 bit field has this value when the true number is in the zip64 record. */
const SEE_64_16 = 0xffff;
const SEE_64_32 = 0xffffffff;
/** A directory of 100,000 names takes far less. */
const DIRECTORY_MAX_BYTES = 64 * 1024 * 1024;

/** Reads the rows of the directory; it fails for a file that is no ZIP, is cut off, or lists more than `maxRows`. */
async function readDirectory(zip: File, maxRows: number): Promise<ZipEntry[]> {
  const { offset, size, count } = await findDirectory(zip);
  if (count > maxRows) throw unreadable(zip, `holds more than ${maxRows.toLocaleString('en')} files`);
  if (offset + size > zip.size || size > DIRECTORY_MAX_BYTES) throw unreadable(zip, 'is damaged or was cut off');
  const view = await viewOf(zip, offset, offset + size);
  const rows: ZipEntry[] = [];
  let at = 0;
  while (rows.length < count) {
    const row = at + DIRECTORY_ROW_BYTES <= view.byteLength ? readRow(view, at) : null;
    if (row === null) throw unreadable(zip, 'is damaged or was cut off');
    rows.push(row.entry);
    at = row.end;
  }
  return rows;
}

type CentralDirectory = { offset: number; size: number; count: number };

/** The end record comes last, before a comment of at most 65,535 bytes (APPNOTE 4.3.16). */
async function findDirectory(zip: File): Promise<CentralDirectory> {
  const tailStart = Math.max(0, zip.size - END_RECORD_BYTES - SEE_64_16);
  const read = await viewOf(zip, tailStart, zip.size);
  const padding = paddingBehind(new Uint8Array(read.buffer));
  const tail = new DataView(read.buffer, 0, read.byteLength - padding);
  for (let at = tail.byteLength - END_RECORD_BYTES; at >= 0; at -= 1) {
    const isEnd = tail.getUint32(at, true) === END_RECORD;
    if (!isEnd || at + END_RECORD_BYTES + tail.getUint16(at + 20, true) !== tail.byteLength) continue;
    const directory = {
      count: tail.getUint16(at + 10, true),
      size: tail.getUint32(at + 12, true),
      offset: tail.getUint32(at + 16, true),
    };
    const isLarge = directory.count === SEE_64_16 || directory.size === SEE_64_32 || directory.offset === SEE_64_32;
    return isLarge ? ((await findDirectory64(zip, tailStart + at)) ?? directory) : directory;
  }
  throw unreadable(zip, 'is not a ZIP, or was cut off');
}

async function findDirectory64(zip: File, endRecordAt: number): Promise<CentralDirectory | null> {
  if (endRecordAt < LOCATOR_64_BYTES) return null;
  const locator = await viewOf(zip, endRecordAt - LOCATOR_64_BYTES, endRecordAt);
  if (locator.getUint32(0, true) !== LOCATOR_64) return null;
  const recordAt = numberOf(locator, 8);
  if (recordAt + 56 > zip.size) throw unreadable(zip, 'is damaged or was cut off');
  const record = await viewOf(zip, recordAt, recordAt + 56);
  if (record.getUint32(0, true) !== END_RECORD_64) throw unreadable(zip, 'is damaged or was cut off');
  return { count: numberOf(record, 32), size: numberOf(record, 40), offset: numberOf(record, 48) };
}

function readRow(view: DataView<ArrayBuffer>, at: number): { entry: ZipEntry; end: number } | null {
  if (view.getUint32(at, true) !== DIRECTORY_ROW) return null;
  const nameEnd = at + DIRECTORY_ROW_BYTES + view.getUint16(at + 28, true);
  const extraEnd = nameEnd + view.getUint16(at + 30, true);
  const end = extraEnd + view.getUint16(at + 32, true);
  if (end > view.byteLength) return null;
  const entry: ZipEntry = {
    rawName: new Uint8Array(view.buffer, at + DIRECTORY_ROW_BYTES, nameEnd - at - DIRECTORY_ROW_BYTES),
    extraFields: extraFieldsOf(new Uint8Array(view.buffer, nameEnd, extraEnd - nameEnd)),
    kind: unixKind(view.getUint8(at + 5), view.getUint32(at + 38, true)),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedBytes: view.getUint32(at + 20, true),
    sizeBytes: view.getUint32(at + 24, true),
    headerStart: view.getUint32(at + 42, true),
  };
  takeLargeNumbers(entry);
  return { entry, end };
}

/** The zip64 extra field (APPNOTE 4.5.3) holds, in this order, those numbers that had no room. */
function takeLargeNumbers(entry: ZipEntry): void {
  const field = entry.extraFields.find(({ id }) => id === 1);
  if (field === undefined) return;
  const view = new DataView(field.data.buffer, field.data.byteOffset, field.data.length);
  let next = 0;
  const take = (): number => {
    next += 8;
    return next <= view.byteLength ? numberOf(view, next - 8) : Number.NaN;
  };
  if (entry.sizeBytes === SEE_64_32) entry.sizeBytes = take();
  if (entry.packedBytes === SEE_64_32) entry.packedBytes = take();
  if (entry.headerStart === SEE_64_32) entry.headerStart = take();
}

function numberOf(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

async function viewOf(zip: File, start: number, end: number): Promise<DataView<ArrayBuffer>> {
  try {
    return new DataView(await zip.slice(start, end).arrayBuffer());
  } catch (cause) {
    throw new SelectionUnreadable(`${zip.name} could not be read. Check that you can open it, then choose it again.`, {
      cause,
    });
  }
}

function unreadable(zip: File, why: string): SelectionUnreadable {
  return new SelectionUnreadable(`${zip.name} ${why}. Create the ZIP again, or choose the folder instead.`);
}
