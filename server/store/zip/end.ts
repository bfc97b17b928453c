import { paddingBehind } from '../../../routers/rules/zip/zip-padding.ts';
import { type OpenZip, readAt, type WindowReader } from './file.ts';
import { ZipRefusal } from './refusal.ts';

/** APPNOTE 4.3.14 to 4.3.16 defines these signatures. */
const END = 0x06_05_4b_50;
const END_MARK = Buffer.from('PK\u0005\u0006', 'latin1');
const END_64 = 0x06_06_4b_50;
const LOCATOR_64 = 0x07_06_4b_50;
const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const COMMENT_MAX_BYTES = 0xff_ff;
const FULL_16 = 0xff_ff;
const FULL_32 = 0xff_ff_ff_ff;

/** Returns the archive without the zeros that fill its last block. Throws ZipRefusal when it cannot be read. */
export function withoutPadding(file: OpenZip): OpenZip {
  const length = Math.min(file.sizeBytes, END_BYTES + COMMENT_MAX_BYTES);
  const tail = readAt(file, Buffer.allocUnsafe(length), file.sizeBytes - length, length);
  return { ...file, sizeBytes: file.sizeBytes - paddingBehind(tail) };
}

/** The start of the directory, the end of its last entry, and the number of entries. */
type ReadDirectory = { start: number; at: number; entryCount: number };

/**
 * Checks that the end records follow right behind the last entry, agree with the directory that was read, and end the
 * file. This catches a false count, and a second directory behind the first. Throws ZipRefusal.
 */
export function checkEnd(reader: WindowReader, read: ReadDirectory): void {
  const { sizeBytes } = reader.file;
  refuseOtherEnds(reader);
  const first = signatureAt(reader, read.at);
  if (first !== END && first !== END_64) throw new ZipRefusal('count_wrong');
  const end = first === END_64 ? endBehind64(reader, read) : read.at;
  if (signatureAt(reader, end) !== END) throw new ZipRefusal('directory_corrupted');
  const record = Buffer.from(reader.bytes(end, END_BYTES));
  if (end + END_BYTES + record.readUInt16LE(20) !== sizeBytes) throw new ZipRefusal('hidden_end_record');
  const is64 = first === END_64;
  const count = record.readUInt16LE(10);
  const start = record.readUInt32LE(16);
  if (count !== read.entryCount && !(is64 && count === FULL_16)) throw new ZipRefusal('count_wrong');
  const directoryBytes = record.readUInt32LE(12);
  if (directoryBytes !== read.at - read.start && !(is64 && directoryBytes === FULL_32)) {
    throw new ZipRefusal('directory_corrupted');
  }
  if (start !== read.start && !(is64 && start === FULL_32)) throw new ZipRefusal('hidden_end_record');
}

/** Checks the 64-bit record and its locator; returns where the small record must begin. */
function endBehind64(reader: WindowReader, read: ReadDirectory): number {
  const record = Buffer.from(reader.bytes(read.at, 56));
  if (Number(record.readBigUInt64LE(32)) !== read.entryCount) throw new ZipRefusal('count_wrong');
  if (Number(record.readBigUInt64LE(40)) !== read.at - read.start) throw new ZipRefusal('directory_corrupted');
  if (Number(record.readBigUInt64LE(48)) !== read.start) throw new ZipRefusal('hidden_end_record');
  const locatorAt = read.at + 12 + Number(record.readBigUInt64LE(4));
  if (signatureAt(reader, locatorAt) !== LOCATOR_64) throw new ZipRefusal('directory_corrupted');
  const locator = reader.bytes(locatorAt, LOCATOR_BYTES);
  if (Number(locator.readBigUInt64LE(8)) !== read.at) throw new ZipRefusal('hidden_end_record');
  return locatorAt + LOCATOR_BYTES;
}

function signatureAt(reader: WindowReader, position: number): number {
  return reader.bytes(position, 4).readUInt32LE(0);
}

/** Some programs search for the end from the front of the comment, some from its back, so only one may be found. */
function refuseOtherEnds(reader: WindowReader): void {
  const { sizeBytes } = reader.file;
  const from = Math.max(0, sizeBytes - END_BYTES - COMMENT_MAX_BYTES);
  const tail = reader.bytes(from, sizeBytes - from);
  let found = 0;
  for (let at = tail.indexOf(END_MARK); at >= 0; at = tail.indexOf(END_MARK, at + 1)) {
    if (at + END_BYTES > tail.length || at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length) continue;
    found += 1;
  }
  if (found > 1) throw new ZipRefusal('hidden_end_record');
}
