import { expect, test } from 'vitest';
import { isClear } from '../../src/features/deployments/create/quick-publish.ts';
import { inspectSelection } from '../../src/uploads/inspect.ts';

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
  ['breaks a rule', { 'index.html': 'x', 'INDEX.html': 'y' }],
])('of a folder that %s the person is asked first', async (_what, files) => {
  expect(await isClearFor(files)).toBe(false);
});
