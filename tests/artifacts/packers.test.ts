import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applyRules } from '../../src/uploads/apply-rules.ts';
import { readZip as readZipInBrowser } from '../../src/uploads/zip.ts';
import { readZip } from '../support/read-zip.ts';

/** The same site as real programs pack it (README.md there). */
const FOLDER = new URL('../support/fixtures/zips/', import.meta.url);
const ARCHIVES = readdirSync(FOLDER).filter((name) => name.endsWith('.zip'));
const COUNT = 45;

test('of each family of packers there is an archive', () => {
  expect(ARCHIVES.length).toBe(19);
});

test.each(ARCHIVES)('%s: every name and every byte comes out, on the server and on the screen', async (name) => {
  const bytes = readFileSync(new URL(name, FOLDER));
  const read = await readZip(bytes);
  expect(read.files.size).toBe(COUNT);
  for (const [path, content] of read.files) expect(content.toString()).toBe(`${path}\n`);
  expect([read.leftOut, read.droppedCount, read.guessed]).toEqual([[], 0, []]);
  const selection = await readZipInBrowser(new File([bytes], name));
  const shown = applyRules(selection, { takesRootOff: true }).files.map(({ path }) => path);
  expect(shown.sort()).toEqual([...read.files.keys()].sort());
});
