import { expect, test } from 'vitest';
import { appRouter } from '../../routers/_app.ts';
import { REST_CALLS } from '../../server/http/rest.ts';
import { randomOf } from '../support/random.ts';
import { UPLOAD_CALLS } from './support/file-acts.ts';
import { ID_FIELDS } from './support/own-ids.ts';
import { inputFor, type JsonSchema, readSurface } from './support/surface.ts';
import { anyCall } from './targets/calls.ts';

const ROUNDS = 2_500;
const idOf = (field: string, end: string): string => `${field.toLowerCase().padEnd(19, '0')}${end}`;
const KNOWN = Object.fromEntries(ID_FIELDS.map((field) => [field, [idOf(field, '0'), idOf(field, '1')]]));
/** A key at a platform, and a place in a stream. */
const NO_IDS = ['accessKeyId', 'lastEventId'];

function fieldsOf(schema: JsonSchema): string[] {
  const within = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [name, ...fieldsOf(field)]);
  return [...own, ...within.flatMap(fieldsOf)];
}

test('every field that takes an id is given one of the attacker’s own', async () => {
  const { procedures } = await readSurface();
  const named = procedures.flatMap(({ input }) => fieldsOf(input)).filter((name) => /Ids?$/.test(name));
  const taken = new Set(named.map((name) => name.replace(/s$/, '')));
  expect([...taken].filter((name) => !NO_IDS.includes(name)).sort()).toEqual([...ID_FIELDS].sort());
  const left = new Set(ID_FIELDS);
  for (let round = 0; round < ROUNDS && left.size > 0; round++) {
    const { path, body } = anyCall(randomOf('reach', 'ids', round), { procedures }, KNOWN);
    for (const field of left) if (`${path}${body}`.includes(idOf(field, '0'))) left.delete(field);
  }
  expect([...left]).toEqual([]);
});

test('a list of ids holds those of the attacker and those of others', async () => {
  const { procedures } = await readSurface();
  const lists = procedures.filter(({ input }) => fieldsOf(input).some((name) => /Ids$/.test(name)));
  expect(lists.length).toBeGreaterThan(0);
  for (const { path, input } of lists) {
    const sent = Array.from({ length: 200 }, (_, round) =>
      JSON.stringify(inputFor(input, randomOf('reach', path, round), KNOWN)),
    ).join();
    for (const end of ['0', '1']) expect(sent).toMatch(new RegExp(`Ids":\\[("[a-z0]+1?",)*"[a-z0]+${end}"`));
  }
});

test('every procedure and every REST call is attacked', async () => {
  const surface = await readSurface();
  const declared = Object.keys(appRouter._def.procedures);
  expect(declared).toContain('connections.connect');
  const left = new Set([...declared, ...REST_CALLS.map(({ method, path }) => `${method.toUpperCase()} ${path}`)]);
  for (let round = 0; round < ROUNDS && left.size > 0; round++) {
    const { method, path } = anyCall(randomOf('reach', 'calls', round), surface, KNOWN);
    for (const procedure of /^\/api\/trpc\/([^?]*)/.exec(path)?.[1]?.split(',') ?? []) left.delete(procedure);
    left.delete(`${method} ${path}`);
  }
  expect([...left]).toEqual([]);
  expect(surface.routes.filter((route) => REST_CALLS.some(({ path }) => path === route))).toHaveLength(
    REST_CALLS.length,
  );
});

test('greedy accounts send files by every way there is', async () => {
  const { routes } = await readSurface();
  const root = '/api/uploads';
  const sent = Object.keys(UPLOAD_CALLS).map((call) => `${root}${call.replace(/^\w+ /, '')}`);
  expect(sent.sort()).toEqual(routes.filter((route) => route.startsWith(`${root}/`)).sort());
});
