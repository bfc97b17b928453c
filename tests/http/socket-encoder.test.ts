import superjson from 'superjson';
import { expect, test } from 'vitest';
import { trackShared, transformer } from '../../routers/shared-items.ts';
import { createSocketEncoder } from '../../server/http/websocket/socket-encoder.ts';

/** Returns the message that tRPC passes to a connection's encoder for an item of the subscription `id`. */
function messageOf(id: number, item: { id: string; data: object }) {
  const [number, data] = trackShared(item.id, item.data);
  return { id, result: { type: 'data', id: number, data: transformer.output.serialize({ id: number, data }) } };
}

const encode = (message: unknown): string => String(createSocketEncoder(() => undefined).encode(message));

test('an item that goes to many sockets is written once, and each gets it under its own number', () => {
  const data = { type: 'notification', message: 'hello', at: new Date(0) };
  const [first, second] = [messageOf(1, { id: '7', data }), messageOf(1, { id: '7', data })];

  expect(second.result.data).toBe(first.result.data);
  expect(encode(first)).toBe(encode(second));
  expect(JSON.parse(encode(messageOf(2, { id: '7', data })))).toMatchObject({ id: 2, result: { id: '7' } });
  expect(transformer.output.deserialize(JSON.parse(encode(first)).result.data)).toEqual({ id: '7', data });
});

test('the same item under another number, and what only looks like an item, are written anew', () => {
  const data = { type: 'ready' };
  expect(messageOf(1, { id: '1', data }).result.data).not.toEqual(messageOf(1, { id: '2', data }).result.data);
  const output = { id: 'a', data: { count: 1 } };
  transformer.output.serialize(output);
  output.data.count = 2;
  expect(transformer.output.serialize(output)).toEqual({ json: { id: 'a', data: { count: 2 } } });
});

const AT = new Date('2026-11-28T06:10:50.730Z');
test.each<[string, unknown]>([
  [
    'rows with dates',
    {
      items: [
        { at: AT, refs: [{ at: AT, none: null }] },
        { at: null, refs: [] },
      ],
      next: undefined,
    },
  ],
  ['nothing', undefined],
  ['a date alone', AT],
  ['a list of what JSON lacks', [undefined, AT, Number.NaN, 7n, new Set(['a'])]],
  ['keys with dots and backslashes', { 'a.b': { at: AT }, 'c\\d': undefined, 'e.f': 'text' }],
])('what leaves the server reads as it was, by superjson: %s', (_, value) => {
  const sent = JSON.parse(JSON.stringify(transformer.output.serialize(value)));

  expect(superjson.deserialize(sent)).toStrictEqual(value);
  expect(() => transformer.output.serialize({ constructor: { at: AT } })).toThrow('prototype pollution');
});
