import { SELECTION_FILES_MAX, type SelectedZip, SelectionUnreadable, type ZippedFile } from './selection.ts';

/**
 * A ZIP as the browser reads it: its directory, and single files out of it, so that a person sees what it is before
 * anything is sent. What may be published the server decides, by its own reading of the whole.
 */

/** The upper 16 bits of the attributes are Unix' (APPNOTE 4.4.2): a link or a device is no file of a website. */
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const MADE_BY_UNIX = new Set([3, 19]);

/**
 * Reads what a ZIP lists.
 *
 * @throws SelectionUnreadable where it is no ZIP, is damaged, or holds what cannot be published
 */
export async function readZip(zip: File): Promise<SelectedZip> {
  const listed = await readDirectory(zip, SELECTION_FILES_MAX);
  const files = listed.filter((entry) => !decodeName(entry).endsWith('/'));
  if (files.length === 0) {
    throw new SelectionUnreadable(`${zip.name} holds no files. Choose the ZIP that holds your index.html.`);
  }
  const entries = files.map((entry) => zippedFile(zip, entry));
  entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { name: zip.name.replace(/\.zip$/i, ''), zip, within: '', entries };
}

function zippedFile(zip: File, entry: ZipEntry): ZippedFile {
  const path = decodeName(entry);
  const reason = unusable(entry);
  if (reason !== null) throw new SelectionUnreadable(`${path} in ${zip.name} ${reason}`);
  return { path, sizeBytes: entry.sizeBytes, unpack: () => unpackEntry(zip, entry, path) };
}

function unusable({ flags, method, madeBy, attributes }: ZipEntry): string | null {
  if ((flags & 1) !== 0) return 'is locked with a password. Make a ZIP without one.';
  if (method !== 0 && method !== 8)
    return 'uses a compression method that is not supported. Create the ZIP again, or drop the folder.';
  const type = (attributes >>> 16) & FILE_TYPE_MASK;
  if (MADE_BY_UNIX.has(madeBy) && type !== 0 && type !== REGULAR_FILE) {
    return 'is a link or a device, no file. Put the file itself in its place.';
  }
  return null;
}

async function unpackEntry(zip: File, entry: ZipEntry, path: string): Promise<File> {
  const start = await dataStart(zip, entry, path);
  const packed = zip.slice(start, start + entry.packedBytes);
  const stream =
    entry.method === 0 ? packed.stream() : packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
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
    .slice(entry.offset, entry.offset + 30)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw corrupted(zip, path, cause);
    });
  const view = new DataView(header);
  if (view.byteLength < 30 || view.getUint32(0, true) !== 0x04034b50) {
    throw corrupted(zip, path, new Error('no header where the directory says'));
  }
  return entry.offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
}

function corrupted(zip: File, path: string, cause: unknown): SelectionUnreadable {
  return new SelectionUnreadable(`${path} in ${zip.name} is damaged. Create the ZIP again, or drop the folder.`, {
    cause,
  });
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Computes the CRC-32 of a ZIP; `before` is that of the bytes in front of these. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/** One row of a ZIP's directory (APPNOTE 4.3.12), with its name as it stands there. */
type ZipEntry = {
  rawName: Uint8Array<ArrayBuffer>;
  madeBy: number;
  flags: number;
  method: number;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  attributes: number;
  offset: number;
};

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const END_RECORD_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const DIRECTORY_ROW = 0x02014b50;
const DIRECTORY_ROW_BYTES = 46;
/** A 16 or 32 bit field says this when the true number stands in the zip64 record. */
const SEE_64_16 = 0xffff;
const SEE_64_32 = 0xffffffff;
/** A directory of 100,000 names takes far less. */
const DIRECTORY_MAX_BYTES = 64 * 1024 * 1024;

/** Reads the rows of the directory; it fails where this is no ZIP, is cut off, or lists more than `maxRows`. */
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

type DirectoryPlace = { offset: number; size: number; count: number };

/** The end record stands last, before a comment of at most 65,535 bytes (APPNOTE 4.3.16). */
async function findDirectory(zip: File): Promise<DirectoryPlace> {
  const tailStart = Math.max(0, zip.size - END_RECORD_BYTES - SEE_64_16);
  const tail = await viewOf(zip, tailStart, zip.size);
  for (let at = tail.byteLength - END_RECORD_BYTES; at >= 0; at -= 1) {
    const isEnd = tail.getUint32(at, true) === END_RECORD;
    if (!isEnd || at + END_RECORD_BYTES + tail.getUint16(at + 20, true) !== tail.byteLength) continue;
    const place = {
      count: tail.getUint16(at + 10, true),
      size: tail.getUint32(at + 12, true),
      offset: tail.getUint32(at + 16, true),
    };
    const isLarge = place.count === SEE_64_16 || place.size === SEE_64_32 || place.offset === SEE_64_32;
    return isLarge ? ((await findDirectory64(zip, tailStart + at)) ?? place) : place;
  }
  throw unreadable(zip, 'is no ZIP, or was cut off');
}

async function findDirectory64(zip: File, endRecordAt: number): Promise<DirectoryPlace | null> {
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
    rawName: new Uint8Array(view.buffer.slice(at + DIRECTORY_ROW_BYTES, nameEnd)),
    madeBy: view.getUint8(at + 5),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedBytes: view.getUint32(at + 20, true),
    sizeBytes: view.getUint32(at + 24, true),
    attributes: view.getUint32(at + 38, true),
    offset: view.getUint32(at + 42, true),
  };
  takeLargeNumbers(entry, new DataView(view.buffer, nameEnd, extraEnd - nameEnd));
  return { entry, end };
}

/** The zip64 extra field (APPNOTE 4.5.3) holds, in this order, those numbers that had no room. */
function takeLargeNumbers(entry: ZipEntry, extra: DataView): void {
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const size = extra.getUint16(at + 2, true);
    if (extra.getUint16(at, true) === 1) {
      let next = at + 4;
      const fieldEnd = Math.min(at + 4 + size, extra.byteLength);
      const take = (): number => {
        next += 8;
        return next <= fieldEnd ? numberOf(extra, next - 8) : Number.NaN;
      };
      if (entry.sizeBytes === SEE_64_32) entry.sizeBytes = take();
      if (entry.packedBytes === SEE_64_32) entry.packedBytes = take();
      if (entry.offset === SEE_64_32) entry.offset = take();
      return;
    }
    at += 4 + size;
  }
}

function numberOf(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

async function viewOf(zip: File, start: number, end: number): Promise<DataView<ArrayBuffer>> {
  try {
    return new DataView(await zip.slice(start, end).arrayBuffer());
  } catch (cause) {
    throw new SelectionUnreadable(`${zip.name} could not be read. See that you may open it, then choose it again.`, {
      cause,
    });
  }
}

function unreadable(zip: File, why: string): SelectionUnreadable {
  return new SelectionUnreadable(`${zip.name} ${why}. Create the ZIP again, or drop the folder.`);
}

/** The upper half of code page 437, in which names without the UTF-8 mark are written (APPNOTE, appendix D). */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** Decodes a name as the server does: valid UTF-8 is taken for that with and without its mark, the rest for code page 437. */
function decodeName({ rawName }: Pick<ZipEntry, 'rawName'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawName);
  } catch {
    return Array.from(rawName, (byte) => (byte < 128 ? String.fromCharCode(byte) : (CP437[byte - 128] ?? ''))).join('');
  }
}
