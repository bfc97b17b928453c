import {
  type ExtraField,
  extraFieldsOf,
  FLAG_UTF8,
  readName,
  UNICODE_PATH,
} from '../../../routers/rules/zip/zip-names.ts';
import { normalisePath } from '../../../routers/schemas/normal-form.ts';
import { FLAG_ENCRYPTED, type ZipDirectory, type ZipEntry } from './directory.ts';
import { type OpenZip, readAt } from './file.ts';
import { ZipRefusal } from './refusal.ts';

/** An entry whose place in the file is known and belongs to it alone. */
export type PlacedEntry = ZipEntry & {
  dataStart: number;
  /** The bytes of the name in the local header, which may be written with other slashes. */
  localRawName: string;
};

/** APPNOTE 4.3.7 defines this signature. */
const LOCAL = 0x04_03_4b_50;
const LOCAL_BYTES = 30;
/** APPNOTE 8.5.3 and 8.5.4: Info-ZIP writes the first, PKZIP and WinZip the second. */
const SPANNING_MARKS: ReadonlySet<number> = new Set([0x08_07_4b_50, 0x30_30_4b_50]);
const SPANNING_BYTES = 4;
/** The largest size of a name, and of an extra field. */
const FIELD_MAX_BYTES = 0xff_ff;
const FULL_32 = 0xff_ff_ff_ff;
const ZIP64_EXTRA = 0x0001;
const FLAG_SIZES_BEHIND = 0x0008;
const FLAG_STRONG_ENCRYPTION = 0x0040;
const FLAG_MASKED = 0x2000;
/** The other flags tell how hard the packer tried (APPNOTE 4.4.4). */
const MEANINGFUL_FLAGS = FLAG_ENCRYPTED | FLAG_SIZES_BEHIND | FLAG_STRONG_ENCRYPTION | FLAG_UTF8 | FLAG_MASKED;

/**
 * Checks that each local header agrees with the directory, and that no byte belongs to two entries. Returns the
 * entries in the order of the file. Throws ZipRefusal.
 */
export function placeEntries(file: OpenZip, { entries, start }: ZipDirectory): PlacedEntry[] {
  const scratch = Buffer.allocUnsafe(LOCAL_BYTES + 2 * FIELD_MAX_BYTES);
  const sorted = [...entries].sort((a, b) => a.headerStart - b.headerStart);
  let end = 0;
  let before = '';
  return sorted.map((entry, index) => {
    if (index === 0 && !isFirst(file, entry, scratch)) throw new ZipRefusal('prepended_data');
    if (entry.headerStart >= start) throw new ZipRefusal('out_of_bounds', entry.path);
    if (entry.headerStart < end) throw new ZipRefusal('overlap', before === '' ? entry.path : before);
    const { dataStart, localRawName } = checkLocalHeader(file, entry, scratch);
    const placed = { ...entry, dataStart, localRawName };
    end = placed.dataStart + entry.compressedBytes;
    if (!(end <= start)) throw new ZipRefusal('out_of_bounds', entry.path);
    before = entry.path;
    return placed;
  });
}

/**
 * Returns whether nothing precedes the first entry but the mark of an archive that was to be split and came out as
 * one.
 */
function isFirst(file: OpenZip, { headerStart }: ZipEntry, scratch: Buffer): boolean {
  if (headerStart !== SPANNING_BYTES) return headerStart === 0;
  return SPANNING_MARKS.has(readAt(file, scratch, 0, SPANNING_BYTES).readUInt32LE(0));
}

function checkLocalHeader(
  file: OpenZip,
  entry: ZipEntry,
  scratch: Buffer,
): Pick<PlacedEntry, 'dataStart' | 'localRawName'> {
  if (entry.headerStart + LOCAL_BYTES > file.sizeBytes) throw new ZipRefusal('out_of_bounds', entry.path);
  const header = readAt(file, scratch, entry.headerStart, LOCAL_BYTES);
  const differs = (): ZipRefusal => new ZipRefusal('headers_differ', entry.path);
  if (header.readUInt32LE(0) !== LOCAL) throw differs();
  const flags = header.readUInt16LE(6);
  if (((flags ^ entry.flags) & MEANINGFUL_FLAGS) !== 0) throw differs();
  if (header.readUInt16LE(8) !== entry.method) throw differs();
  const local = { checksum: header.readUInt32LE(14), packed: header.readUInt32LE(18), size: header.readUInt32LE(22) };
  const nameBytes = header.readUInt16LE(26);
  const fieldBytes = nameBytes + header.readUInt16LE(28);
  const dataStart = entry.headerStart + LOCAL_BYTES + fieldBytes;
  if (dataStart > file.sizeBytes) throw new ZipRefusal('out_of_bounds', entry.path);
  const fields = readAt(file, scratch, dataStart - fieldBytes, fieldBytes);
  const extraFields = extraFieldsOf(fields.subarray(nameBytes));
  const rawName = fields.toString('latin1', 0, nameBytes);
  if (!isSameName(entry, rawName, extraFields)) throw differs();
  if (local.packed === FULL_32 || local.size === FULL_32) Object.assign(local, largeSizes(extraFields, local) ?? {});
  // A packer that writes in one go leaves zeros here, and puts the sizes behind the content.
  const areBehind = (flags & FLAG_SIZES_BEHIND) !== 0;
  const isAs = (value: number, wanted: number): boolean => value === wanted || (areBehind && value === 0);
  if (!isAs(local.checksum, entry.checksum)) throw differs();
  if (!isAs(local.packed, entry.compressedBytes) || !isAs(local.size, entry.sizeBytes)) throw differs();
  return { dataStart, localRawName: rawName };
}

/** Two names are the same when they give the same path, whatever slashes they are written with. */
function isSameName(entry: ZipEntry, rawName: string, extraFields: readonly ExtraField[]): boolean {
  const isSameInBytes = rawName === entry.rawName;
  if (isSameInBytes && extraFields.every(({ id }) => id !== UNICODE_PATH)) return true;
  const local = readName(Buffer.from(rawName, 'latin1'), entry.flags, extraFields);
  if (local.refusal !== null) return false;
  // A name that has to be guessed is compared after the guess (names.ts).
  if (local.name === null) return entry.name === null || isSameInBytes;
  return entry.name !== null && normalisePath(local.name) === normalisePath(entry.name);
}

/** Returns the sizes that did not fit into the header (APPNOTE 4.5.3), or null when they are missing there too. */
function largeSizes(
  extraFields: readonly ExtraField[],
  small: { packed: number; size: number },
): { packed: number; size: number } | null {
  const data = extraFields.find(({ id }) => id === ZIP64_EXTRA)?.data;
  const wanted = [small.size, small.packed].filter((value) => value === FULL_32).length;
  if (data === undefined || data.length < 8 * wanted) return null;
  const view = new DataView(data.buffer, data.byteOffset);
  let next = 0;
  const take = (value: number): number => {
    if (value !== FULL_32) return value;
    next += 8;
    return Number(view.getBigUint64(next - 8, true));
  };
  return { size: take(small.size), packed: take(small.packed) };
}
