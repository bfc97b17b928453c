import { FLAG_ENCRYPTED, FLAG_UTF8, type ZipDirectory, type ZipEntry } from './zip-directory.ts';
import { type OpenZip, readAt } from './zip-file.ts';
import { ZipRefusal } from './zip-refusal.ts';

/** An entry whose place in the file is known and belongs to it alone. */
export type PlacedEntry = ZipEntry & { dataStart: number };

/** APPNOTE 4.3.7 defines this signature. */
const LOCAL = 0x04_03_4b_50;
const LOCAL_BYTES = 30;
const EXTRA_MAX_BYTES = 0xff_ff;
const FULL_32 = 0xff_ff_ff_ff;
const ZIP64_EXTRA = 0x0001;
const FLAG_SIZES_BEHIND = 0x0008;
const FLAG_STRONG_ENCRYPTION = 0x0040;
const FLAG_MASKED = 0x2000;
/** The others tell how hard the packer tried (APPNOTE 4.4.4). */
const MEANINGFUL_FLAGS = FLAG_ENCRYPTED | FLAG_SIZES_BEHIND | FLAG_STRONG_ENCRYPTION | FLAG_UTF8 | FLAG_MASKED;

/**
 * Checks that each local header says what the directory says, and that no byte belongs to two entries.
 * Returns the entries in the order in which they lie in the file. Throws ZipRefusal.
 */
export function placeEntries(file: OpenZip, { entries, start }: ZipDirectory): PlacedEntry[] {
  const scratch = Buffer.allocUnsafe(LOCAL_BYTES + 2 * EXTRA_MAX_BYTES);
  const sorted = [...entries].sort((a, b) => a.headerStart - b.headerStart);
  let end = 0;
  let before = '';
  return sorted.map((entry, index) => {
    if (index === 0 && entry.headerStart > 0) throw new ZipRefusal('prepended_data');
    if (entry.headerStart >= start) throw new ZipRefusal('out_of_bounds', entry.path);
    if (entry.headerStart < end) throw new ZipRefusal('overlap', before === '' ? entry.path : before);
    const placed = { ...entry, dataStart: checkLocalHeader(file, entry, scratch) };
    end = placed.dataStart + entry.compressedBytes;
    if (!(end <= start)) throw new ZipRefusal('out_of_bounds', entry.path);
    before = entry.path;
    return placed;
  });
}

/** Returns where the content begins. */
function checkLocalHeader(file: OpenZip, entry: ZipEntry, scratch: Buffer): number {
  const nameBytes = entry.rawName.length;
  if (entry.headerStart + LOCAL_BYTES + nameBytes > file.sizeBytes) throw new ZipRefusal('out_of_bounds', entry.path);
  const header = readAt(file, scratch, entry.headerStart, LOCAL_BYTES + nameBytes);
  const differs = (): ZipRefusal => new ZipRefusal('headers_differ', entry.path);
  if (header.readUInt32LE(0) !== LOCAL) throw differs();
  const flags = header.readUInt16LE(6);
  if (((flags ^ entry.flags) & MEANINGFUL_FLAGS) !== 0) throw differs();
  if (header.readUInt16LE(8) !== entry.method) throw differs();
  if (header.readUInt16LE(26) !== nameBytes) throw differs();
  if (header.toString('latin1', LOCAL_BYTES) !== entry.rawName) throw differs();
  const local = { checksum: header.readUInt32LE(14), packed: header.readUInt32LE(18), size: header.readUInt32LE(22) };
  const extraBytes = header.readUInt16LE(28);
  const extraStart = entry.headerStart + LOCAL_BYTES + nameBytes;
  if (local.packed === FULL_32 || local.size === FULL_32) {
    if (extraStart + extraBytes > file.sizeBytes) throw new ZipRefusal('out_of_bounds', entry.path);
    Object.assign(local, largeSizes(readAt(file, scratch, extraStart, extraBytes), local) ?? {});
  }
  // A packer that writes in one go leaves zeros here, and tells the sizes behind the content.
  const areBehind = (flags & FLAG_SIZES_BEHIND) !== 0;
  const isAs = (value: number, wanted: number): boolean => value === wanted || (areBehind && value === 0);
  if (!isAs(local.checksum, entry.checksum)) throw differs();
  if (!isAs(local.packed, entry.compressedBytes) || !isAs(local.size, entry.sizeBytes)) throw differs();
  return extraStart + extraBytes;
}

/** Returns the sizes that did not fit into the header (APPNOTE 4.5.3), or null when they are not there either. */
function largeSizes(extra: Buffer, small: { packed: number; size: number }): { packed: number; size: number } | null {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== ZIP64_EXTRA) continue;
    const values = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    const wanted = [small.size, small.packed].filter((value) => value === FULL_32).length;
    if (values.length < 8 * wanted) return null;
    let next = 0;
    const take = (value: number): number => {
      if (value !== FULL_32) return value;
      next += 8;
      return Number(values.readBigUInt64LE(next - 8));
    };
    return { size: take(small.size), packed: take(small.packed) };
  }
  return null;
}
