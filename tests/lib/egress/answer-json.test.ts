import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { listOf, parseAnswer } from '../../../server/lib/egress/answer-json.ts';

test('an answer is read up to so many values, and one that is no JSON is none', () => {
  const many = JSON.stringify(Array.from({ length: 100_001 }, () => 0));
  const text = JSON.stringify({ log: '",[{,'.repeat(100_000) });
  expect(parseAnswer('')).toEqual({});
  expect(parseAnswer('{"a":[1,{"b":2}]}', 5)).toEqual({ a: [1, { b: 2 }] });
  expect(parseAnswer('{"a":[1,{"b":2}]}', 4)).toBeUndefined();
  expect(parseAnswer(many)).toBeUndefined();
  expect(parseAnswer(many, 200_000)).toHaveLength(100_001);
  expect(parseAnswer(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBeUndefined();
  // What stands in a text is no value of its own.
  expect(parseAnswer(text)).toEqual(JSON.parse(text));
  expect(parseAnswer('<html>')).toBeUndefined();
});

test('a list tells of the first item that does not fit, and where it is', () => {
  const list = z.object({ items: listOf(z.object({ id: z.string() })) });
  expect(list.parse({ items: [{ id: 'a', more: 1 }] })).toEqual({ items: [{ id: 'a' }] });
  const { error } = list.safeParse({ items: [{ id: 'a' }, { id: 1 }, ...Array.from({ length: 1_000 }, () => 0)] });
  expect(error?.issues.map(({ path }) => path)).toEqual([['items', 1, 'id']]);
});
