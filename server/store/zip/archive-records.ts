/**
 * The records of a ZIP (PKWARE's APPNOTE 6.3.10). Names are UTF-8; numbers beyond 32 bits go to the fields of ZIP64;
 * the same position at the same time gives the same bytes.
 */
export type WrittenEntry = {
  name: Buffer;
  offset: number;
  sizeBytes: number;
  checksum: number;
  /** The size of a packed content; absent for a stored one. */
  packedBytes?: number | undefined;
};

export type CentralDirectory = { count: number; directoryAt: number; directoryBytes: number };

export const LOCAL_BYTES = 30;
export const CENTRAL_BYTES = 46;
const DESCRIPTOR_BYTES = 16;
const END_BYTES = 22;
const END_64_BYTES = 56;
const LOCATOR_BYTES = 20;
const MAX_16 = 0xff_ff;
const MAX_32 = 0xff_ff_ff_ff;
const VERSION = 20;
const VERSION_64 = 45;
const DEFLATED = 8;
const FLAG_UTF8 = 0x0800;
/** Checksum and sizes follow the content (APPNOTE 4.4.4). */
const FLAG_SIZES_BEHIND = 0x0008;
/** Marks the archive as made on Unix, with plain files that all may read, so that unpackers give them these rights. */
const MADE_BY_UNIX = 3 << 8;
const MODE = (0o100_644 << 16) >>> 0;

/**
 * Makes the header of a file. The header of a packed text is written before anything is known of it and holds zeros.
 */
export function localHeader(entry: WrittenEntry, at: Date): Buffer {
  const extra = localExtra(entry);
  const header = Buffer.alloc(LOCAL_BYTES);
  header.writeUInt32LE(0x04_03_4b_50, 0);
  const known = entry.packedBytes === undefined ? entry : { ...entry, checksum: 0, sizeBytes: 0, packedBytes: 0 };
  writeCommon(header.subarray(4), known, { at, extraBytes: extra.length });
  return Buffer.concat([header, entry.name, extra]);
}

/** Writes the record behind the packed bytes of a file (APPNOTE 4.3.9). */
export function descriptor({ checksum, sizeBytes, packedBytes = sizeBytes }: WrittenEntry): Buffer {
  if (Math.max(sizeBytes, packedBytes) > MAX_32) throw new Error('A packed entry of an archive is over 4 GiB.');
  const record = Buffer.alloc(DESCRIPTOR_BYTES);
  record.writeUInt32LE(0x08_07_4b_50, 0);
  record.writeUInt32LE(checksum, 4);
  record.writeUInt32LE(packedBytes, 8);
  record.writeUInt32LE(sizeBytes, 12);
  return record;
}

/** Returns the entry of a file in the central directory (APPNOTE 6.3.10, 4.3.12). */
export function centralHeader(entry: WrittenEntry, at: Date): Buffer {
  const extra = centralExtra(entry);
  const header = Buffer.alloc(CENTRAL_BYTES);
  header.writeUInt32LE(0x02_01_4b_50, 0);
  header.writeUInt16LE(MADE_BY_UNIX | VERSION_64, 4);
  writeCommon(header.subarray(6), entry, { at, extraBytes: extra.length });
  header.writeUInt32LE(MODE, 38);
  header.writeUInt32LE(Math.min(entry.offset, MAX_32), 42);
  return Buffer.concat([header, entry.name, extra]);
}

/** Writes the fields from "version needed" to "length of the extra field", which both headers have in this order. */
function writeCommon(target: Buffer, entry: WrittenEntry, { at, extraBytes }: { at: Date; extraBytes: number }): void {
  const { name, checksum, sizeBytes, packedBytes } = entry;
  const { date, time } = dosTime(at);
  const isPacked = packedBytes !== undefined;
  target.writeUInt16LE(extraBytes > 0 ? VERSION_64 : VERSION, 0);
  target.writeUInt16LE(isPacked ? FLAG_UTF8 | FLAG_SIZES_BEHIND : FLAG_UTF8, 2);
  target.writeUInt16LE(isPacked ? DEFLATED : 0, 4);
  target.writeUInt16LE(time, 6);
  target.writeUInt16LE(date, 8);
  target.writeUInt32LE(checksum, 10);
  target.writeUInt32LE(Math.min(packedBytes ?? sizeBytes, MAX_32), 14);
  target.writeUInt32LE(Math.min(sizeBytes, MAX_32), 18);
  target.writeUInt16LE(name.length, 22);
  target.writeUInt16LE(extraBytes, 24);
}

/** APPNOTE 4.5.3: the local field always holds both sizes, the one of the directory only those that did not fit. */
export function localExtra({ sizeBytes }: Pick<WrittenEntry, 'sizeBytes'>): Buffer {
  return extraOf(sizeBytes >= MAX_32 ? [sizeBytes, sizeBytes] : []);
}

/** Sizes and position in 64 bits, when 32 are too few (APPNOTE 6.3.10, 4.5.3); empty otherwise. */
export function centralExtra({ sizeBytes, offset }: Pick<WrittenEntry, 'sizeBytes' | 'offset'>): Buffer {
  return extraOf([...(sizeBytes >= MAX_32 ? [sizeBytes, sizeBytes] : []), ...(offset >= MAX_32 ? [offset] : [])]);
}

function extraOf(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

/** Returns the length of `endRecords`, before the directory is written. */
export function endBytes(directory: CentralDirectory): number {
  return END_BYTES + (isLarge(directory) ? END_64_BYTES + LOCATOR_BYTES : 0);
}

/** Returns the records that close the archive (APPNOTE 6.3.10, 4.3.14 to 4.3.16). */
export function endRecords(directory: CentralDirectory): Buffer[] {
  const { count, directoryAt, directoryBytes } = directory;
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(directoryBytes, MAX_32), 12);
  end.writeUInt32LE(Math.min(directoryAt, MAX_32), 16);
  return isLarge(directory) ? [end64(directory), locator(directory), end] : [end];
}

/** Returns whether the end record's own fields are too narrow. */
function isLarge({ count, directoryAt, directoryBytes }: CentralDirectory): boolean {
  return count >= MAX_16 || directoryAt >= MAX_32 || directoryBytes >= MAX_32;
}

function end64({ count, directoryAt, directoryBytes }: CentralDirectory): Buffer {
  const end = Buffer.alloc(END_64_BYTES);
  end.writeUInt32LE(0x06_06_4b_50, 0);
  end.writeBigUInt64LE(BigInt(END_64_BYTES - 12), 4);
  end.writeUInt16LE(MADE_BY_UNIX | VERSION_64, 12);
  end.writeUInt16LE(VERSION_64, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(directoryBytes), 40);
  end.writeBigUInt64LE(BigInt(directoryAt), 48);
  return end;
}

function locator({ directoryAt, directoryBytes }: CentralDirectory): Buffer {
  const record = Buffer.alloc(LOCATOR_BYTES);
  record.writeUInt32LE(0x07_06_4b_50, 0);
  record.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 8);
  record.writeUInt32LE(1, 16);
  return record;
}

/**
 * Returns the time of an entry (APPNOTE 4.4.6). The format knows no zone, so this is UTC; it has no years before 1980.
 */
function dosTime(at: Date): { date: number; time: number } {
  const year = Math.min(Math.max(at.getUTCFullYear() - 1980, 0), 127);
  return {
    date: (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  };
}
