import { expect, test } from 'vitest';
import { isClear } from '../../src/features/deployments/create/quick-publish.ts';
import { findingsOf } from '../../src/features/deployments/select/findings.ts';
import { inspectSelection } from '../../src/uploads/inspect.ts';
import { readZip } from '../../src/uploads/selection/zip.ts';
import { writeZip } from '../support/zip-writer.ts';

async function isClearFor(files: Record<string, string>): Promise<boolean> {
  const picked = Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) }));
  return isClear(await inspectSelection({ name: 'harbour', files: picked }));
}

test('a folder with a start page and nothing amiss is published without a question', async () => {
  expect(await isClearFor({ 'index.html': '<a href="about.html">About</a>', 'about.html': '<h1>About</h1>' })).toBe(
    true,
  );
});

test.each<[string, Record<string, string>]>([
  ['has no start page', { 'about.html': '<h1>About</h1>' }],
  ['holds a private file', { 'index.html': '<h1>Hi</h1>', '.env': 'KEY=1' }],
  ['has a link that leads nowhere', { 'index.html': '<a href="nowhere.html">x</a>' }],
  ['still has to be built', { 'package.json': '{"devDependencies":{"vite":"8"}}', 'src/main.ts': 'x' }],
  ['has names that differ in capitals alone', { 'index.html': 'x', 'INDEX.html': 'y' }],
])('of a folder that %s the person is asked first', async (_what, files) => {
  expect(await isClearFor(files)).toBe(false);
});

test.each([
  ['a link', { name: 'more.html', data: 'index.html', attributes: 0o120777 * 0x10000 }],
  ['a name that had to be guessed', { name: Buffer.from([0x61, 0x82]), data: 'x', flags: 0 }],
])('of a ZIP that holds %s the person is asked first, and told', async (_what, part) => {
  const zip = writeZip([{ name: 'index.html', data: '<h1>Hi</h1>' }, part]);
  const report = await inspectSelection(await readZip(new File([new Uint8Array(zip)], 'site.zip')));
  expect(isClear(report)).toBe(false);
  expect(findingsOf(report).map(({ id }) => id)).toEqual(['entry', 'flags' in part ? 'guessed_name' : 'links']);
});
