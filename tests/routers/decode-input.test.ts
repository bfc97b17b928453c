import superjson from 'superjson';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { appRouter } from '../../routers/_app.ts';
import { decodeInput } from '../../routers/decode-input.ts';
import { PLAIN_INPUT } from '../../routers/rules/plain-input.ts';
import { refusalOf } from '../support/refusal.ts';

const refusedWith = async (payload: unknown): Promise<string> => {
  const { code, message } = await refusalOf(Promise.resolve(payload).then(decodeInput));
  expect(code).toBe('bad_request');
  return message;
};

test.each([undefined, null, 'text', { name: 'site', list: [1, null, { deep: true }], 'a.key': 0 }])(
  'what a client writes is read as it was: %j',
  (input) => {
    expect(decodeInput(JSON.parse(JSON.stringify(PLAIN_INPUT.serialize(input))))).toStrictEqual(input);
    // As a client of the version before writes it.
    expect(decodeInput(JSON.parse(JSON.stringify(superjson.serialize(input))))).toStrictEqual(input);
  },
);

test('a field that is set to undefined is left out', () => {
  expect(decodeInput(JSON.parse(JSON.stringify(PLAIN_INPUT.serialize({ a: 1, b: undefined }))))).toStrictEqual({
    a: 1,
  });
});

test.each([
  { json: { size: 2e9 }, meta: { values: { size: [['typed-array', 'Int8Array']] } } },
  { json: 2e9, meta: { values: [['typed-array', 'Float64Array']] } },
  { json: { at: '2026-01-01T00:00:00.000Z' }, meta: { values: { at: ['Date'] } } },
  { json: [], meta: { values: ['undefined', { 0: ['undefined'] }] } },
  { json: {}, meta: { values: { '__proto__.polluted': ['undefined'] } } },
  { json: {}, meta: { values: 'undefined' } },
])('annotations are refused: %j', async (payload) => {
  expect(await refusedWith(payload)).toContain('plain JSON, without “meta”');
});

test('no prototype is reached', async () => {
  expect(await refusedWith(JSON.parse('{"json":{"a":{"__proto__":{"polluted":1}}}}'))).toContain('__proto__');
  expect('polluted' in {}).toBe(false);
});

test('depth and values have an end, and what has not is not walked to its end', async () => {
  const nested: unknown = JSON.parse(`${'[['.repeat(50_000)}${']]'.repeat(50_000)}`);
  expect(await refusedWith({ json: nested })).toContain('deep');
  expect(await refusedWith({ json: Array.from({ length: 1_000_000 }, () => null) })).toContain('values');

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

test.each([1, 'text', null, undefined])('what no client writes is refused: %j', async (payload) => {
  await refusedWith(payload);
});

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

test('no input of the contract holds what JSON cannot', () => {
  const procedures: object = appRouter._def.procedures;
  const inputs = Object.entries(procedures).flatMap(([path, procedure]) =>
    procedure._def.inputs.map((schema: z.core.$ZodType) => ({ path, kinds: [...kindsOf(schema, new Set())] })),
  );
  expect(inputs.length).toBeGreaterThan(30);
  const beyond = inputs.filter(({ kinds }) => kinds.some((kind: string) => !PLAIN.has(kind)));
  expect(beyond).toEqual([]);
});
