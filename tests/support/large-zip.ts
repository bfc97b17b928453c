import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { ZipPart } from './zip-writer.ts';

const WORDS =
  'the harbour keeps a ledger of every boat that comes in with its length draught cargo flag and the hour of the tide';
const BLOCK_BYTES = 4 * 1024 * 1024;
/** Ends a deflate stream: one last block with nothing in it (RFC 1951, 3.2.6). */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

/** Text that packs to about a third, other for each seed and the same on every run. */
export function someText(bytes: number, seed: number): Buffer {
  const words = WORDS.split(' ');
  const text = Buffer.alloc(bytes, ' ');
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  for (let at = 0; at < bytes; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const word = state % 4 === 0 ? (state >>> 8).toString(36) : (words[(state >>> 8) % words.length] ?? '');
    at += text.write(`${word}${state % 13 === 0 ? '.\n' : ' '}`, at, 'latin1');
  }
  return text;
}

/** A file of any size, packed once and repeated: deflate looks back no further than a block is long. */
export function largeFile(name: string, sizeBytes: number, seed: number): ZipPart {
  const blocks = Math.max(1, Math.round(sizeBytes / BLOCK_BYTES));
  const text = someText(BLOCK_BYTES, seed);
  const packed = deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH });
  let crc = 0;
  for (let block = 0; block < blocks; block += 1) crc = crc32(text, crc);
  return {
    name,
    method: 8,
    packed: Buffer.concat([...Array.from({ length: blocks }, () => packed), LAST_BLOCK]),
    crc,
    sizeBytes: blocks * BLOCK_BYTES,
  };
}

/** Many small files of sizes that differ, `averageBytes` each over all. */
export function smallFiles(count: number, averageBytes: number, seed: number): ZipPart[] {
  const text = someText(BLOCK_BYTES, seed);
  return Array.from({ length: count }, (_, index) => {
    const bytes = Math.round((averageBytes * (1 + (index % 9))) / 5);
    const start = (index * 7_919) % (text.length - bytes - 16);
    const data = Buffer.concat([Buffer.from(`<!-- ${index} -->\n`), text.subarray(start, start + bytes)]);
    return { name: `pages/${index % 97}/page-${index}.html`, data, method: 8 };
  });
}
