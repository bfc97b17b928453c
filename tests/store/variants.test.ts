import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { decodeVariants, encodeVariants, type VariantIndex, type Variants } from '../../server/store/variants.ts';
import { refusalOf } from '../support/refusal.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function indexOf(count: number): VariantIndex {
  const packs = Array.from({ length: 3 }, (_, at) => ({ sha256: hashOf(`pack ${at}`), sizeBytes: 100 * count })).sort(
    (a, b) => (a.sha256 < b.sha256 ? -1 : 1),
  );
  const hashes = Array.from({ length: count }, (_, at) => hashOf(`${at}`)).sort();
  return new Map(
    hashes.map((sha256, at): [string, Variants] => {
      const pack = packs[at % packs.length];
      if (pack === undefined || at % 5 === 0) return [sha256, { br: null, gzip: null }];
      const gzip = at % 7 === 0 ? null : { pack, start: at * 10 + 4, end: at * 10 + 9 };
      return [sha256, { br: { pack, start: at * 10, end: at * 10 + 4 }, gzip }];
    }),
  );
}

afterEach(() => vi.restoreAllMocks());

test('the largest index is written and read in parts, and comes back as it was', async () => {
  const index = indexOf(UPLOAD_LIMITS.maxFiles);
  const stringify = vi.spyOn(JSON, 'stringify');
  const bytes = await encodeVariants(index);
  const written = Math.max(...stringify.mock.results.map(({ value }) => String(value).length));
  const parse = vi.spyOn(JSON, 'parse');
  expect(await decodeVariants(bytes)).toEqual(index);
  const read = Math.max(...parse.mock.calls.map(([text]) => text.length));
  expect([written < 1_000, read < 64 * 1024]).toEqual([true, true]);
  expect(parse.mock.calls.length).toBeGreaterThan(bytes.length / (64 * 1024));
});

test.each([0, 1, 2])('an index of %i files is JSON of the same form', async (count) => {
  const index = indexOf(count);
  const bytes = await encodeVariants(index);
  expect(JSON.parse(bytes.toString())).toMatchObject({ version: 1, packs: expect.any(Array), rows: expect.any(Array) });
  expect(await decodeVariants(bytes)).toEqual(index);
});

test.each(['', '{}', 'x', '[]', '{"version":1,"packs":[],"rows":[', '{"version":2,"packs":[],"rows":[]}'])(
  'what is no index is damaged: %s',
  async (text) => {
    expect(await refusalOf(decodeVariants(Buffer.from(text)))).toMatchObject({ code: 'artifact_corrupted' });
  },
);

test('a slice behind the end of its pack, and rows that are cut off, are damaged', async () => {
  const bytes = await encodeVariants(indexOf(3_000));
  const text = bytes.toString();
  const beyond = text.replace(/(\["[0-9a-f]{64}",)\d+(\],\["|\]\],"rows")/, '$11$2');
  expect(beyond).not.toBe(text);
  for (const damaged of [beyond, text.slice(0, -2), text.slice(0, -40), `${text.slice(0, 90_000)}]}`]) {
    expect(await refusalOf(decodeVariants(Buffer.from(damaged)))).toMatchObject({ code: 'artifact_corrupted' });
  }
});
