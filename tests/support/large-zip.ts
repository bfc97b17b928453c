import { constants, crc32, deflateRawSync } from 'node:zlib';
import { fields, type ZipPart } from './zip-writer.ts';

const WORDS =
  'the harbour keeps a ledger of every boat that comes in with its length draught cargo flag and the hour of the tide';
const BLOCK_BYTES = 4 * 1024 * 1024;
/** Ends a deflate stream: one last block with nothing in it (RFC 1951, 3.2.6). */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

/** Text that packs to about a third, other for each seed and the same on every run. */
function someText(bytes: number, seed: number): Buffer {
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

type Body = { data: Buffer; packed: Buffer };
const bodies = new Map<string, Body[]>();

function bodiesOf(count: number, averageBytes: number): Body[] {
  const key = `${count} of ${averageBytes}`;
  const text = someText(BLOCK_BYTES, 1);
  const known = bodies.get(key) ?? Array.from({ length: count }, (_, index) => bodyOf(text, index, averageBytes));
  bodies.set(key, known);
  return known;
}

function bodyOf(text: Buffer, index: number, averageBytes: number): Body {
  const bytes = Math.round((averageBytes * (1 + (index % 9))) / 5);
  const start = (index * 7_919) % (text.length - bytes);
  const data = text.subarray(start, start + bytes);
  return { data, packed: deflateRawSync(data) };
}

/**
 * Many small files, `averageBytes` each over all and of sizes that differ; with another seed each has another content, by
 * a first line that is not packed (RFC 1951, 3.2.4) in front of what was packed once.
 */
export function smallFiles(count: number, averageBytes: number, seed: number): ZipPart[] {
  return bodiesOf(count, averageBytes).map(({ data, packed }, index) => {
    const line = Buffer.from(`<!-- ${seed}, ${index} -->\n`);
    const stored = Buffer.concat([Buffer.from([0]), fields([2, line.length], [2, 0xffff - line.length]), line]);
    return {
      name: `pages/${index % 97}/page-${index}.html`,
      method: 8,
      packed: Buffer.concat([stored, packed]),
      crc: crc32(data, crc32(line)),
      sizeBytes: line.length + data.length,
    };
  });
}
