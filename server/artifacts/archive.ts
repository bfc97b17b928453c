import { crc32 } from 'node:zlib';
import { damaged } from './storage-errors.ts';
import type { ArtifactStore, OpenArtifact } from './store.ts';

/**
 * Writes a ZIP of artifacts as a stream (PKWARE's APPNOTE 6.3.10). Files are stored, not packed: the length of the whole
 * is known before its first byte, and nothing is computed but a checksum. Names are UTF-8; the same entries at the same
 * time give the same bytes.
 */
export type ArchiveEntry = { name: string; sha256: string; sizeBytes: number };

/** Up to this size a file is read once, whole; a larger one twice, since its checksum stands before it. */
const WHOLE_MAX_BYTES = 1024 * 1024;
/** Small files leave together: a piece costs more than a kilobyte does. */
const PIECE_BYTES = 256 * 1024;

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const END_64_BYTES = 56;
const LOCATOR_BYTES = 20;
const MAX_16 = 0xff_ff;
const MAX_32 = 0xff_ff_ff_ff;
const VERSION = 20;
const VERSION_64 = 45;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** Made on Unix, a plain file that all may read: what unpackers give it. */
const MADE_BY_UNIX = 3 << 8;
const MODE = (0o100_644 << 16) >>> 0;

type Placed = { name: Buffer; sizeBytes: number; offset: number };
type Layout = { placed: Placed[]; directoryAt: number; directoryBytes: number; sizeBytes: number };

/** How many bytes `writeArchive` will yield. */
export function archiveSize(entries: readonly ArchiveEntry[]): number {
  return layOut(entries).sizeBytes;
}

/** Throws `artifact_damaged` at the first file that the store does not have byte for byte. */
export async function* writeArchive(
  store: Pick<ArtifactStore, 'open'>,
  entries: readonly ArchiveEntry[],
  at: Date,
): AsyncGenerator<Buffer, void> {
  const layout = layOut(entries);
  const checksums: number[] = [];
  let pieces: Buffer[] = [];
  let pending = 0;
  for (const [index, entry] of entries.entries()) {
    const place = layout.placed[index];
    if (place === undefined) throw new Error('An entry of the archive has no place.');
    const artifact = await store.open(entry.sha256);
    try {
      if (artifact.sizeBytes !== entry.sizeBytes) throw damaged('A file of this release has another size than it had.');
      const whole = entry.sizeBytes <= WHOLE_MAX_BYTES ? await artifact.read(0, entry.sizeBytes) : null;
      const checksum = whole === null ? await checksumOf(artifact) : crc32(whole);
      checksums.push(checksum);
      pieces.push(localHeader(place, checksum, at), ...(whole === null ? [] : [whole]));
      pending += entry.sizeBytes;
      if (whole === null || pending >= PIECE_BYTES) {
        yield Buffer.concat(pieces);
        pieces = [];
        pending = 0;
      }
      if (whole === null) yield* artifact.stream();
    } finally {
      await artifact.close();
    }
  }
  for (const [index, place] of layout.placed.entries()) pieces.push(centralHeader(place, checksums[index] ?? 0, at));
  yield Buffer.concat([...pieces, ...endRecords(layout)]);
}

async function checksumOf(artifact: OpenArtifact): Promise<number> {
  let checksum = 0;
  for await (const piece of artifact.stream()) checksum = crc32(piece, checksum);
  return checksum;
}

/** `base` moves everything back: for archives that would be too large to write in a test. */
export function layOut(entries: readonly Pick<ArchiveEntry, 'name' | 'sizeBytes'>[], base = 0): Layout {
  let at = base;
  let directoryBytes = 0;
  const placed = entries.map(({ name, sizeBytes }) => {
    const place = { name: Buffer.from(name, 'utf8'), sizeBytes, offset: at };
    at += LOCAL_BYTES + place.name.length + localExtra(place).length + sizeBytes;
    directoryBytes += CENTRAL_BYTES + place.name.length + centralExtra(place).length;
    return place;
  });
  const layout = { placed, directoryAt: at, directoryBytes, sizeBytes: 0 };
  const endBytes = END_BYTES + (isLarge(layout) ? END_64_BYTES + LOCATOR_BYTES : 0);
  return { ...layout, sizeBytes: at + directoryBytes + endBytes };
}

/** Whether the end record's own fields are too narrow. */
function isLarge({ placed, directoryAt, directoryBytes }: Layout): boolean {
  return placed.length >= MAX_16 || directoryAt >= MAX_32 || directoryBytes >= MAX_32;
}

function localHeader(place: Placed, checksum: number, at: Date): Buffer {
  const extra = localExtra(place);
  const header = Buffer.alloc(LOCAL_BYTES);
  header.writeUInt32LE(0x04_03_4b_50, 0);
  writeCommon(header.subarray(4), place, { checksum, at, extraBytes: extra.length });
  return Buffer.concat([header, place.name, extra]);
}

export function centralHeader(place: Placed, checksum: number, at: Date): Buffer {
  const extra = centralExtra(place);
  const header = Buffer.alloc(CENTRAL_BYTES);
  header.writeUInt32LE(0x02_01_4b_50, 0);
  header.writeUInt16LE(MADE_BY_UNIX | VERSION_64, 4);
  writeCommon(header.subarray(6), place, { checksum, at, extraBytes: extra.length });
  header.writeUInt32LE(MODE, 38);
  header.writeUInt32LE(Math.min(place.offset, MAX_32), 42);
  return Buffer.concat([header, place.name, extra]);
}

/** The fields from "version needed" to "length of the extra field", which both headers have in this order. */
function writeCommon(
  target: Buffer,
  place: Placed,
  { checksum, at, extraBytes }: { checksum: number; at: Date; extraBytes: number },
): void {
  const size = Math.min(place.sizeBytes, MAX_32);
  const { date, time } = dosTime(at);
  target.writeUInt16LE(extraBytes > 0 ? VERSION_64 : VERSION, 0);
  target.writeUInt16LE(FLAGS, 2);
  target.writeUInt16LE(time, 6);
  target.writeUInt16LE(date, 8);
  target.writeUInt32LE(checksum, 10);
  target.writeUInt32LE(size, 14);
  target.writeUInt32LE(size, 18);
  target.writeUInt16LE(place.name.length, 22);
  target.writeUInt16LE(extraBytes, 24);
}

/** APPNOTE 4.5.3: the local one always holds both sizes, the one of the directory only what did not fit. */
function localExtra({ sizeBytes }: Placed): Buffer {
  return extraOf(sizeBytes >= MAX_32 ? [sizeBytes, sizeBytes] : []);
}

function centralExtra({ sizeBytes, offset }: Placed): Buffer {
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

export function endRecords(layout: Layout): Buffer[] {
  const { placed, directoryAt, directoryBytes } = layout;
  const count = Math.min(placed.length, MAX_16);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(Math.min(directoryBytes, MAX_32), 12);
  end.writeUInt32LE(Math.min(directoryAt, MAX_32), 16);
  return isLarge(layout) ? [end64(layout), locator(layout), end] : [end];
}

function end64({ placed, directoryAt, directoryBytes }: Layout): Buffer {
  const end = Buffer.alloc(END_64_BYTES);
  end.writeUInt32LE(0x06_06_4b_50, 0);
  end.writeBigUInt64LE(BigInt(END_64_BYTES - 12), 4);
  end.writeUInt16LE(MADE_BY_UNIX | VERSION_64, 12);
  end.writeUInt16LE(VERSION_64, 14);
  end.writeBigUInt64LE(BigInt(placed.length), 24);
  end.writeBigUInt64LE(BigInt(placed.length), 32);
  end.writeBigUInt64LE(BigInt(directoryBytes), 40);
  end.writeBigUInt64LE(BigInt(directoryAt), 48);
  return end;
}

function locator({ directoryAt, directoryBytes }: Layout): Buffer {
  const record = Buffer.alloc(LOCATOR_BYTES);
  record.writeUInt32LE(0x07_06_4b_50, 0);
  record.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 8);
  record.writeUInt32LE(1, 16);
  return record;
}

/** APPNOTE 4.4.6, which knows no zone: UTC. Years before 1980 do not exist there. */
function dosTime(at: Date): { date: number; time: number } {
  const year = Math.min(Math.max(at.getUTCFullYear() - 1980, 0), 127);
  return {
    date: (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  };
}
