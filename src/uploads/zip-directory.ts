import { SelectionUnreadable } from './selection.ts';

/** One row of a ZIP's directory (APPNOTE 4.3.12), with its name as it stands there. */
export type ZipEntry = {
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

/** Reads the rows of a ZIP's directory. Throws SelectionUnreadable where it is no ZIP, is cut off, or lists more than `maxRows`. */
export async function readDirectory(zip: File, maxRows: number): Promise<ZipEntry[]> {
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

/** The end record stands last, before a comment of at most 65,535 bytes (4.3.16). */
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

/** The zip64 extra field (4.5.3) holds, in this order, those numbers that had no room. */
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
  return new SelectionUnreadable(`${zip.name} ${why}. Make the ZIP anew, or drop the folder.`);
}

/** The upper half of code page 437, in which names without the UTF-8 mark are written (APPNOTE, appendix D). */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** As the server decodes it: valid UTF-8 is taken for that with and without its mark, anything else for code page 437. */
export function decodeName({ rawName }: Pick<ZipEntry, 'rawName'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawName);
  } catch {
    return Array.from(rawName, (byte) => (byte < 128 ? String.fromCharCode(byte) : (CP437[byte - 128] ?? ''))).join('');
  }
}
