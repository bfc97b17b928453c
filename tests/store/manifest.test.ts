import { expect, test } from 'vitest';
import { readUpload, uploadReadingSteps } from '../../routers/rules/uploads/upload-rules.ts';
import { runInTimeSlices } from '../../server/lib/time-slices.ts';
import {
  compareManifests,
  comparingSteps,
  decodeManifest,
  encodeManifest,
  type Manifest,
} from '../../server/store/manifest.ts';
import { refusalOf } from '../support/refusal.ts';
import { countTurns } from '../support/turns.ts';

const SHA256 = 'ab'.repeat(32);
const ODD = ['a],["b', '"],["', '\\"],["', '[', 'größe/ö.html', '__proto__', '],[', 'z'.repeat(300)];
const deepPath = (at: number): string => `${at}/${'folder/'.repeat(29)}${'x'.repeat(60)}.html`;

const manifestOf = (paths: readonly string[]): Manifest =>
  new Map(paths.map((path, at) => [path, { sha256: SHA256, sizeBytes: at }]));

test.each([0, 1, 3, 4_000])(
  'a list of %i files and some odd names is read as it was written, in one stored form',
  async (count) => {
    const manifest = manifestOf([
      ...Array.from({ length: count }, (_, at) => deepPath(at)),
      ...(count === 0 ? [] : ODD),
    ]);
    const bytes = await encodeManifest(manifest);
    const rows = [...manifest].map(([path, { sha256, sizeBytes }]) => [path, sha256, sizeBytes] as const);
    rows.sort(([a], [b]) => (a < b ? -1 : 1));
    expect(bytes.toString()).toBe(JSON.stringify(rows));
    expect([...(await decodeManifest(bytes))].sort()).toEqual([...manifest].sort());
  },
);

test.each(['', '{}', 'null', '[', '[[]]', '[["a",1,2]]', `[["a","${SHA256}",1]`, `[["a","${SHA256}",1]]]`])(
  'what is no list of files is refused: %s',
  async (text) => {
    expect(await refusalOf(decodeManifest(Buffer.from(text)))).toMatchObject({ code: 'artifact_corrupted' });
  },
);

/** Returns how often others have their turn while something is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  using turns = countTurns();
  await work();
  return turns.count();
}

test('while deep paths are judged, written and read others have their turns', async () => {
  const files = Array.from({ length: 20_000 }, (_, at) => ({ path: deepPath(at), sizeBytes: 1 }));
  expect(await turnsDuring(() => runInTimeSlices(uploadReadingSteps(files.slice(0, 2_000))))).toBeGreaterThan(10);
  const manifest = manifestOf(files.map(({ path }) => path));
  let bytes: Buffer = Buffer.alloc(0);
  expect(await turnsDuring(async () => (bytes = await encodeManifest(manifest)))).toBeGreaterThan(1);
  expect(await turnsDuring(() => decodeManifest(bytes))).toBeGreaterThan(1);
});

function stepsOf(count: number): number {
  const files = Array.from({ length: count }, (_, at) => ({ path: `${at}.html`, sizeBytes: 1 }));
  let steps = 0;
  for (const _ of uploadReadingSteps(files)) steps += 1;
  return steps;
}

test('two lists are compared by path in steps, so that twice as many files are twice as many', async () => {
  const before = manifestOf(['gone.html', 'same.html', 'changed.html']);
  const after = new Map(before).set('changed.html', { sha256: 'cd'.repeat(32), sizeBytes: 2 }).set('new.html', {
    sha256: SHA256,
    sizeBytes: 3,
  });
  after.delete('gone.html');
  expect(await compareManifests(before, after)).toEqual({
    added: ['new.html'],
    changed: ['changed.html'],
    removed: ['gone.html'],
  });
  const stepsFor = (count: number): number => {
    const listed = manifestOf(Array.from({ length: count }, (_, at) => `${at}.html`));
    return [...comparingSteps(listed, listed)].length;
  };
  expect(stepsFor(5_000)).toBeGreaterThanOrEqual(20);
  expect(stepsFor(10_000)).toBe(2 * stepsFor(5_000));
});

test('a step judges a few files, so that twice as many files are twice as many steps', () => {
  const steps = stepsOf(5_000);
  expect(steps).toBeGreaterThanOrEqual(3 * 25);
  expect(stepsOf(10_000) / steps).toBeCloseTo(2, 1);
});

test.each([
  [['a', 'a/b'], 'a'],
  [['x/a/b/c', 'x/a'], 'x/a'],
  [['a/b/c/d', 'a/b/c/e', 'a/b'], 'a/b'],
])('in %j a name is a file and a folder', (paths, at) => {
  const { refusal } = readUpload(paths.map((path) => ({ path, sizeBytes: 1 })));
  expect(refusal).toMatchObject({ reason: 'file_and_folder', path: at });
});
