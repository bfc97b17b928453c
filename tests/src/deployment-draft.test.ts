import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test, vi } from 'vitest';
import { languageOf } from '../../src/features/deployments/edit/code-language.ts';
import {
  type Base,
  type Draft,
  filesOf,
  leftOutOf,
  problemOf,
  publishedAnyway,
  rebased,
  replacing,
  withContent,
  withMoved,
  withRemoved,
  withRestored,
} from '../../src/features/deployments/edit/draft.ts';
import { treeRows } from '../../src/features/deployments/edit/files/tree.ts';
import { readText } from '../../src/lib/texts.ts';

/** The hash of a file is its content here. */
function baseOf(number: number, files: Record<string, string>): Base {
  const entries = Object.entries(files).map(([path, sha256]) => [path, { sha256, sizeBytes: 1 }] as const);
  return { releaseId: `release-${number}`, number, files: new Map(entries) };
}

const draftOf = (base: Base): Draft => ({ base, changes: new Map() });
const text = (words: string) => ({ text: words });

test('what is put back as it was is no change, however it came there', () => {
  const draft = draftOf(baseOf(1, { 'a.html': 'A', 'css/b.css': 'B' }));
  const moved = withMoved(draft, 'css', 'styles');
  expect([...filesOf(moved).keys()].sort()).toEqual(['a.html', 'styles/b.css']);
  expect(withMoved(moved, 'styles', 'css').changes.size).toBe(0);
  const edited = withContent(draft, 'a.html', text('new'));
  expect(withRestored(withRemoved(edited, 'a.html'), 'a.html').changes.size).toBe(0);
  expect(withRemoved(withContent(draft, 'c.html', text('')), 'c.html').changes.size).toBe(0);
});

test('changes are put on a newer release, and a file that was changed there and here is named', () => {
  const newer = baseOf(2, { 'a.html': 'A2', 'c.html': 'C' });
  let draft = draftOf(baseOf(1, { 'a.html': 'A', 'b.html': 'B', 'd.html': 'D' }));
  draft = withContent(withContent(draft, 'a.html', text('mine')), 'b.html', text('mine too'));
  draft = withRemoved(draft, 'd.html');
  const { draft: merged, both } = rebased(draft, newer);
  expect(both).toEqual(['a.html', 'b.html']);
  expect([...filesOf(merged).keys()].sort()).toEqual(['a.html', 'b.html', 'c.html']);
  const kept = replacing(draft, newer);
  expect([...filesOf(kept).keys()].sort()).toEqual(['a.html', 'b.html']);
  expect(kept.changes.get('c.html')?.now).toBeNull();
});

test('what is done to a folder goes through its files once, however many they are', () => {
  const names = Array.from({ length: 100 }, (_, index) => `img/${index}.jpg`);
  const draft = draftOf(baseOf(1, Object.fromEntries(names.map((name) => [name, name]))));
  const newer = baseOf(2, {});
  using passes = vi.spyOn(Map.prototype, Symbol.iterator);
  const moved = withMoved(draft, 'img', 'photos');
  const kept = replacing(rebased(withRemoved(moved, 'photos/7.jpg'), newer).draft, newer);
  expect(passes.mock.calls.length).toBeLessThan(20);
  expect(moved.changes.size).toBe(200);
  expect(filesOf(kept).size).toBe(99);
});

test('the rules of an upload hold for a draft, and what was published on purpose stays published', () => {
  const draft = draftOf(baseOf(1, { 'index.html': 'A', 'dump.sql': 'S' }));
  expect(problemOf(draft)).toBeNull();
  expect(problemOf(withContent(draft, 'INDEX.html', text('')))).toBeNull();
  expect(problemOf(withContent(draft, 'gpg.key', text('-----BEGIN PGP PUBLIC KEY BLOCK-----')))).toBeNull();
  expect(problemOf(withContent(draft, 'id.pem', text('-----BEGIN PRIVATE KEY-----')))).toContain(
    'Probably a private key',
  );
  expect(problemOf(withContent(draft, 'a//b', text('')))).toContain('two slashes');
  const more = withContent(withContent(draft, '.env', text('KEY=1')), 'dump.sql', text('edited'));
  expect(leftOutOf(more).map(({ path }) => path)).toEqual(['.env']);
  expect(publishedAnyway(more)).toEqual(['dump.sql']);
  expect(publishedAnyway(withRemoved(draft, 'dump.sql'))).toEqual([]);
});

test('a text is told from other bytes by the bytes, and keeps the mark at its beginning', async () => {
  const read = (...bytes: number[]) => readText(new Blob([new Uint8Array(bytes)]));
  expect(await read(0xef, 0xbb, 0xbf, 0x61)).toBe('\uFEFFa');
  expect(await read(0x61, 0x00)).toBeNull();
  expect(await read(0xff, 0xd8)).toBeNull();
});

test('the tree has folders first, and only what is below an open one', () => {
  const rows = treeRows(['b.txt', 'a/10.txt', 'a/9.txt', 'c/d/e.txt'], (folder) => folder === 'a');
  expect(rows.map(({ path, level, position, siblings }) => [path, level, position, siblings])).toEqual([
    ['a', 1, 1, 3],
    ['a/9.txt', 2, 1, 2],
    ['a/10.txt', 2, 2, 2],
    ['c', 1, 2, 3],
    ['b.txt', 1, 3, 3],
  ]);
});

test('a page is coloured by its own grammar, with those of the scripts and styles that are in it', async () => {
  const colored = async (path: string, doc: string) => {
    const extension = await languageOf(path, doc);
    const state = EditorState.create({ doc, ...(extension !== null && { extensions: extension }) });
    return ensureSyntaxTree(state, doc.length)?.toString() ?? '';
  };
  const page = '<style>a{color:red}</style><script>let b = 1</script>';
  expect(await colored('index.html', page)).toMatch(/Element.*RuleSet.*VariableDeclaration/);
  expect(await colored('index.html', '<script type="text/plain">let b = 1</script>')).not.toContain('Variable');
  expect(await colored('a.ts', 'let b: Tide = 1')).toContain('TypeName');
  expect(await colored('a.tsx', 'let b: Tide = <a/>')).toMatch(/TypeName.*JSXElement/);
  expect(await colored('README.md', '# Tide')).toContain('ATXHeading1');
  expect(await colored('notes.txt', 'Tide')).toBe('');
});
