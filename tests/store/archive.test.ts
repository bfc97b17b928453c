import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { corrupted } from '../../server/store/storage-errors.ts';
import type { OpenArtifact } from '../../server/store/store.ts';
import { type ArchiveEntry, archiveSize, writeArchive } from '../../server/store/zip/archive.ts';
import { centralHeader, descriptor, endRecords } from '../../server/store/zip/archive-records.ts';
import { readZip } from '../support/read-zip.ts';

const GIB = 1024 ** 3;
const AT = new Date('2026-03-04T05:06:08Z');

/** A store that has these texts, each by its own name, and counts what is open. */
function storeOf(texts: Record<string, string>) {
  const store = {
    openCount: 0,
    async open(sha256: string): Promise<OpenArtifact> {
      const text = texts[sha256];
      if (text === undefined) throw corrupted('It is not there.');
      const bytes = Buffer.from(text);
      store.openCount += 1;
      return {
        sizeBytes: bytes.length,
        read: async (start, end) => bytes.subarray(start, end),
        async *stream() {
          for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
        },
        close: async () => {
          store.openCount -= 1;
        },
      };
    },
  };
  return store;
}

async function written(...args: Parameters<typeof writeArchive>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeArchive(...args)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const fileOf = (name: string, text: string): ArchiveEntry => ({
  name,
  sha256: name,
  sizeBytes: Buffer.byteLength(text),
});

test('what is larger than 32 bits say goes to the 64-bit fields, and the length foretold counts them', () => {
  const small = [{ name: 'a', sizeBytes: 10 }];
  expect(archiveSize(small)).toBe(30 + 1 + 10 + (46 + 1) + 22);
  const large = [
    { name: 'a', sizeBytes: 5 * GIB },
    { name: 'b', sizeBytes: 10 },
  ];
  // A local and a central field of two sizes, a central one of an offset, and the two end records of ZIP64.
  expect(archiveSize(large)).toBe(5 * GIB + 10 + (31 + 20 + 31) + (47 + 20 + 47 + 12) + 56 + 20 + 22);
});

test('the fields of ZIP64 hold what the others cannot', () => {
  const place = { name: Buffer.from('b'), sizeBytes: 10, offset: 5 * GIB, checksum: 7 };
  const header = centralHeader(place, AT);
  expect(header.readUInt32LE(42)).toBe(0xff_ff_ff_ff);
  expect(header.readUInt16LE(47)).toBe(1);
  expect(header.readBigUInt64LE(51)).toBe(BigInt(5 * GIB));
  const directory = { count: 1, directoryAt: 6 * GIB, directoryBytes: 59 };
  const [end, locator, last] = endRecords(directory);
  expect(end?.readBigUInt64LE(48)).toBe(BigInt(directory.directoryAt));
  expect(locator?.readBigUInt64LE(8)).toBe(BigInt(directory.directoryAt + directory.directoryBytes));
  expect(last?.readUInt32LE(16)).toBe(0xff_ff_ff_ff);
});

test('more entries than 16 bits count are counted in 64', () => {
  const [end, , last] = endRecords({ count: 70_000, directoryAt: 100, directoryBytes: 100 });
  expect(end?.readBigUInt64LE(32)).toBe(70_000n);
  expect(last?.readUInt16LE(10)).toBe(0xff_ff);
});

test('files are as long as was foretold, texts are packed while they are made, and a strict reader takes both', async () => {
  const large = 'x'.repeat(3_000_000);
  // Their directory is larger than 64 KiB.
  const many = Object.fromEntries(
    Array.from({ length: 120 }, (_, number) => [`${`${'f'.repeat(120)}/`.repeat(5)}${number}.txt`, `${number}`]),
  );
  const texts = { 'index.html': '<h1>Grüße</h1>', 'empty.txt': '', 'large.bin': large, ...many };
  const files = Object.entries(texts).map(([name, text]) => fileOf(name, text));
  const store = storeOf(texts);
  const alone = await written(store, files, { at: AT });
  expect(alone.length).toBe(
    archiveSize(Object.entries(texts).map(([name, text]) => ({ name, sizeBytes: Buffer.byteLength(text) }))),
  );

  async function* lines(): AsyncGenerator<string> {
    for (let line = 0; line < 5_000; line += 1) yield `line ${line} – ü\n`;
  }
  const zip = await written(store, [{ name: 'log.txt', text: lines() }, ...files, { name: 'none.txt', text: [] }], {
    at: AT,
  });
  const { files: read } = await readZip(zip);

  const log = read.get('log.txt')?.toString() ?? '';
  expect(log.split('\n')).toHaveLength(5_001);
  expect(log.startsWith('line 0 – ü\nline 1 – ü\n')).toBe(true);
  expect(read.get('none.txt')?.length).toBe(0);
  for (const [name, text] of Object.entries(texts)) expect(read.get(name)?.toString() === text, name).toBe(true);
  expect(read.size).toBe(files.length + 2);
  expect((await fromBufferPromise(zip)).entryCount).toBe(files.length + 2);
  expect(store.openCount).toBe(0);
});

test('a file that is gone ends the archive, or is left out where somebody is told of it', async () => {
  const store = storeOf({ a: 'a', b: 'b', short: 'short' });
  const entries = [fileOf('a', 'a'), fileOf('gone', 'x'), fileOf('short', 'longer'), fileOf('b', 'b')];
  await expect(written(store, entries, { at: AT })).rejects.toMatchObject({ code: 'artifact_corrupted' });

  const lost: string[] = [];
  const zip = await written(store, entries, { at: AT, onCorrupted: ({ name }) => void lost.push(name) });

  expect([...(await readZip(zip)).files.keys()].sort()).toEqual(['a', 'b']);
  expect(lost).toEqual(['gone', 'short']);
  expect(store.openCount).toBe(0);
});

test('a text that fails ends the archive with its reason, and a reader that goes leaves nothing open', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'so far';
    throw new Error('the database went away');
  }
  await expect(written(storeOf({}), [{ name: 'x', text: failing() }], { at: AT })).rejects.toThrow('went away');

  const large = 'x'.repeat(3_000_000);
  const store = storeOf({ large });
  let isEnded = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield randomBytes(16_384).toString('latin1');
    } finally {
      isEnded = true;
    }
  }
  for await (const piece of writeArchive(store, [fileOf('large', large)], { at: AT })) if (piece.length > 0) break;
  for await (const piece of writeArchive(store, [{ name: 'x', text: endless() }], { at: AT }))
    if (piece.length > 0) break;
  expect(store.openCount).toBe(0);
  await expect.poll(() => isEnded).toBe(true);
});

test('a packed text of more than 4 GiB is refused rather than told a wrong size', () => {
  const place = { name: Buffer.from('x'), offset: 0, sizeBytes: 5 * GIB, packedBytes: 10, checksum: 0 };
  expect(() => descriptor(place)).toThrow('over 4 GiB');
});
