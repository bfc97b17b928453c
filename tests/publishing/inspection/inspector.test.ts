import { expect, test } from 'vitest';
import { inspectUpload } from '../../../routers/rules/uploads/upload-inspection.ts';
import type { OfferedFile } from '../../../routers/rules/uploads/upload-rules.ts';
import { inspectText } from '../../../routers/rules/uploads/upload-text-problems.ts';
import { openInspector } from '../../../server/publishing/inspection/inspector.ts';

const NEVER = new AbortController().signal;
/** Written in parts, so that no scanner takes this file for the leak. */
const KEY = `AKIA${'ABCDEFGH12345678'}`;

function siteOf(count: number, textBytes: number): { files: OfferedFile[]; texts: Map<string, string> } {
  const page = (at: number): string =>
    `<a href="${at + 1}.html">Next</a>\n<!-- ${KEY} -->\n`.padEnd(textBytes, '<!---->');
  const texts = new Map(Array.from({ length: count }, (_, at) => [`${at}.html`, page(at)]));
  texts.set('index.html', page(0));
  return { files: [...texts].map(([path, text]) => ({ path, sizeBytes: text.length })), texts };
}

/** Returns how often other work of this process had its turn meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const takeTurn = (): void => {
    turns += 1;
    if (!isOver) setTimeout(takeTurn, 1);
  };
  takeTurn();
  await work();
  isOver = true;
  return turns;
}

test.each([
  ['small texts, looked into here', 20, 1_000],
  ['a large text, looked into by a thread', 2, 64 * 1024],
  ['many files, looked into by a thread', 3_000, 100],
])('%s: the same is found', async (_what, count, textBytes) => {
  const { files, texts } = siteOf(count, textBytes);
  const index = new Map([['index.html', texts.get('index.html') ?? '']]);
  const looks = new Map(files.map((file) => [file.path, inspectText(file, texts.get(file.path) ?? '')]));

  const inspector = await openInspector(files, files, NEVER);
  for (let start = 0; start < files.length; start += 16) {
    const some = files.slice(start, start + 16).map((file) => ({ file, text: texts.get(file.path) ?? '' }));
    const links = some.flatMap(({ file }) => looks.get(file.path)?.links ?? []);
    expect(await inspector.look(some)).toBe(links.length);
  }
  const inspection = await inspector.conclude(index, false);
  await inspector.end();

  expect(inspection).toEqual(inspectUpload(files, index, looks));
  expect(inspection.problems.map(({ code }) => code)).toEqual(['holds_token', 'broken_link']);
});

test('while the largest text is looked into, others have their turns', async () => {
  const { files, texts } = siteOf(1, 1024 * 1024 - 1);
  const inspector = await openInspector(files, files, NEVER);
  const [file] = files;
  if (file === undefined) throw new Error('The site has no file.');
  const turns = await turnsDuring(() => inspector.look([{ file, text: texts.get(file.path) ?? '' }]));
  await inspector.end();
  expect(turns).toBeGreaterThan(3);
});
