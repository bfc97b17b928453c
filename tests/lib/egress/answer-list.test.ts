import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readLongList } from '../../../server/lib/egress/answer-list.ts';
import { runInTimeSlices } from '../../../server/lib/time-slices.ts';

const OPTIONS = {
  beginsWith: /"tree"\s*:\s*\[/,
  itemsMax: 100_000,
  take: (item: unknown) => (typeof item === 'object' && item !== null ? item : undefined),
};

const read = (text: string, options: Partial<typeof OPTIONS> = {}) =>
  runInTimeSlices(readLongList(text, { ...OPTIONS, ...options }));

test('a list is read with what is around it, however it is written', async () => {
  const tree = [{ path: 'a "tree":[ b ]},{' }, { path: '\\', more: [1, { deep: [2] }] }, {}];
  const answer = { sha: 'abc', tree, truncated: false };
  for (const text of [JSON.stringify(answer), JSON.stringify(answer, null, 2)]) {
    expect(await read(text)).toEqual({ items: tree, around: { ...answer, tree: [] } });
  }
  expect(await read('{"tree": [ ]}')).toEqual({ items: [], around: { tree: [] } });
});

test.each([
  ['no list', '{"sha":"abc"}'],
  ['no end', '{"tree":[{},{}'],
  ['no object around it', '{"tree":[{}]'],
  ['an empty item', '{"tree":[{},,{}]}'],
  ['a comma too many', '{"tree":[{},]}'],
  ['the wrong bracket', '{"tree":[{}}}'],
  ['an item of another kind', '{"tree":[{},"text"]}'],
  ['an item without end', `{"tree":[{"path":"${'a'.repeat(200_000)}"}]}`],
  ['much behind it', `{"tree":[{}],"more":"${'a'.repeat(200_000)}"}`],
])('%s is not understood', async (_, text) => {
  expect(await read(text)).toBeUndefined();
});

test('there is an end to how many items are read', async () => {
  expect(await read('{"tree":[{},{}]}', { itemsMax: 1 })).toBeUndefined();
});

test('whoever reads megabytes lets others have their turns', async () => {
  const entry = { path: 'p'.repeat(20), mode: '100644', type: 'blob', sha: 'a'.repeat(40), size: 100 };
  const text = JSON.stringify({ tree: Array.from({ length: 50_000 }, () => entry) });
  const reading = { isOver: false, turns: 0 };
  const read50k = read(text).finally(() => (reading.isOver = true));
  for (; !reading.isOver; reading.turns += 1) await nextTurn();
  expect((await read50k)?.items).toHaveLength(50_000);
  expect(reading.turns).toBeGreaterThan(3);
});
