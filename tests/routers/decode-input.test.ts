import superjson from 'superjson';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { appRouter } from '../../routers/_app.ts';
import { decodeInput } from '../../routers/decode-input.ts';
import { refusalOf } from '../support/refusal.ts';

const refusedWith = async (payload: unknown): Promise<string> => {
  const { code, message } = await refusalOf(Promise.resolve(payload).then(decodeInput));
  expect(code).toBe('bad_request');
  return message;
};

test.each([
  undefined,
  null,
  'text',
  { name: 'site', note: undefined },
  { list: [1, undefined, { deep: undefined, kept: null }], 'a key': undefined },
])('what a client writes is read as it was: %j', (input) => {
  const sent: unknown = JSON.parse(JSON.stringify(superjson.serialize(input)));
  expect(decodeInput(sent)).toStrictEqual(input);
});

test('one object in two places arrives in both', () => {
  const shared = { a: 1 };
  expect(decodeInput(superjson.serialize({ one: shared, two: shared }))).toStrictEqual({
    one: { a: 1 },
    two: { a: 1 },
  });
});

test.each([
  ['typed-array', { json: { size: 2e9 }, meta: { values: { size: [['typed-array', 'Int8Array']] } } }],
  ['typed-array', { json: 2e9, meta: { values: [['typed-array', 'Float64Array']] } }],
  ['Date', { json: { at: '2026-01-01T00:00:00.000Z' }, meta: { values: { at: ['Date'] } } }],
  ['bigint', { json: { n: '9'.repeat(50_000) }, meta: { values: { n: ['bigint'] } } }],
  ['regexp', { json: { n: '/(a+)+$/' }, meta: { values: { n: ['regexp'] } } }],
  ['map', { json: [[1, 2]], meta: { values: ['map', { '0.0': ['undefined'] }] } }],
  ['set', { json: [1], meta: { values: ['set'] } }],
  ['class', { json: {}, meta: { values: [['class', 'Object']] } }],
  ['undefined', { json: [], meta: { values: ['undefined', { 0: ['undefined'] }] } }],
])('the annotation "%s" is refused by its name', async (kind, payload) => {
  expect(await refusedWith(payload)).toContain(`"${kind}"`);
});

test('a place that the input does not have is not made', async () => {
  for (const [json, place] of [
    [{ list: [] }, 'list.4294967294'],
    [{ list: [] }, 'list.length'],
    [{}, 'absent'],
    [{}, 'absent.deeper'],
    [{}, '__proto__.polluted'],
    [{}, 'constructor.prototype.polluted'],
    ['text', '0'],
    [null, ''],
  ] as const) {
    expect(await refusedWith({ json, meta: { values: { [place]: ['undefined'] } } })).toContain('nothing at');
  }
  expect(await refusedWith(JSON.parse('{"json":{"a":{"__proto__":{"polluted":1}}}}'))).toContain('__proto__');
  expect('polluted' in {}).toBe(false);
});

test('depth, values and annotations have an end, and what has not is not walked to its end', async () => {
  const nested: unknown = JSON.parse(`${'[['.repeat(50_000)}${']]'.repeat(50_000)}`);
  expect(await refusedWith({ json: nested })).toContain('deep');
  expect(await refusedWith({ json: Array.from({ length: 1_000_000 }, () => null) })).toContain('values');

  const million = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, at) => [`k${at}`, ['set']]));
  expect(await refusedWith({ json: {}, meta: { values: million } })).toContain('annotations');

  let looks = 0;
  const wide = new Proxy(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, null])), {
    get: (target, key) => {
      looks += 1;
      return Reflect.get(target, key);
    },
  });
  expect(await refusedWith({ json: wide })).toContain('values');
  expect(looks).toBeLessThan(5_000);
});

test.each([1, 'text', null, undefined, { json: {}, meta: { values: 'undefined' } }])(
  'what superjson does not write is refused: %j',
  async (payload) => {
    await refusedWith(payload);
  },
);

/** Kinds of schemas whose values JSON writes by itself, and those that are made of others. */
const PLAIN: ReadonlySet<string> = new Set(
  'string number boolean null literal enum object array record tuple union optional nullable default pipe transform never'.split(
    ' ',
  ),
);

function kindsOf(schema: z.core.$ZodType, found: Set<string>): Set<string> {
  found.add(schema._zod.def.type);
  const { checks: _checks, ...definition } = schema._zod.def;
  for (const part of Object.values(definition)) {
    const parts: unknown[] = typeof part === 'object' && part !== null ? [part, ...Object.values(part)] : [];
    for (const inner of parts) if (inner instanceof z.core.$ZodType) kindsOf(inner, found);
  }
  return found;
}

test('no input of the contract holds what JSON cannot, but undefined', () => {
  const procedures: object = appRouter._def.procedures;
  const inputs = Object.entries(procedures).flatMap(([path, procedure]) =>
    procedure._def.inputs.map((schema: z.core.$ZodType) => ({ path, kinds: [...kindsOf(schema, new Set())] })),
  );
  expect(inputs.length).toBeGreaterThan(30);
  const beyond = inputs.filter(({ kinds }) => kinds.some((kind: string) => !PLAIN.has(kind)));
  // Whoever needs another kind (a date) teaches decodeInput to read it, within a bound.
  expect(beyond).toEqual([]);
});
