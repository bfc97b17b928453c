import type { Random } from '../../support/random.ts';
import type { AttackedApp } from './attacked-app.ts';
import { oddJson, oddText, oddValue } from './odd-values.ts';
import { inputFor, type KnownIds, type Procedure } from './surface.ts';

/**
 * Annotations that superjson writes beside a value about its type (github.com/flightcontrolhq/superjson,
 * `src/transformer.ts`).
 */
const ANNOTATIONS = [
  ...['undefined', 'Date', 'bigint', 'regexp', 'set', 'map', 'Error', 'URL', 'number', 'x', '__proto__', 7, null],
  ...['Int8Array', 'Uint8ClampedArray', 'Float64Array', 'BigInt64Array', 'x'].map((type) => ['typed-array', type]),
  ...['symbol', 'class', 'custom'].map((kind) => [kind, 'x']),
];

/** An input of a procedure as it travels: right, right but for one place, or nothing like it. */
export function oddInput(random: Random, procedure: Procedure, known: KnownIds): { json: unknown; meta?: unknown } {
  const right = inputFor(procedure.input, random, known);
  const json = random.chance(0.3) ? right : random.chance(0.7) ? withOddPlace(random, right) : oddValue(random);
  return random.chance(0.5) ? { json } : { json, meta: oddMeta(random, json) };
}

function withOddPlace(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return oddValue(random);
  const entries = Object.entries(value);
  const place = random.below(entries.length + 1);
  const name = entries[place]?.[0] ?? oddText(random, 30);
  return Object.fromEntries([...entries.filter(([key]) => key !== name), [name, oddValue(random)]]);
}

function oddMeta(random: Random, json: unknown): unknown {
  const paths = typeof json === 'object' && json !== null ? Object.keys(json) : [];
  const annotation = (depth = 0): unknown[] => {
    const own = random.pick(ANNOTATIONS);
    return depth < 3 && random.chance(0.3) ? [own, { '0': annotation(depth + 1), a: annotation(depth + 1) }] : [own];
  };
  const place = (): string =>
    random.chance(0.5) && paths.length > 0
      ? random.pick(paths)
      : random.pick(['0', 'a.b', '__proto__', 'constructor.prototype', 'a'.repeat(5_000), oddText(random, 30)]);
  const tree = (): unknown => Object.fromEntries(random.many(1, 4, () => [place(), annotation()] as const));
  return random.pick<() => unknown>([
    () => ({ values: tree() }),
    () => ({ values: annotation() }),
    () => ({ values: tree(), referentialEqualities: { [place()]: [place(), place()] } }),
    () => ({ referentialEqualities: [[place()], tree()] }),
    () => ({ values: Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`${at}`, ['Date']])) }),
    () => ({ values: oddValue(random) }),
    () => oddValue(random),
  ])();
}

/** Returns numbers that would be used as lengths of arrays before anybody checks them. */
export function hugeArrays(random: Random, count: number): string {
  const kind = random.pick(['Int8Array', 'Uint8Array', 'Float64Array', 'BigUint64Array']);
  const json = Array.from({ length: count }, () => 2e9);
  const values = Object.fromEntries(json.map((_, at) => [at, [['typed-array', kind]]]));
  return JSON.stringify({ json, meta: { values } });
}

export type OddCall = { method: string; path: string; headers: Record<string, string>; body: string };

/** The body limit of a call; what is larger is refused unread. */
const BODY_MAX = 100 * 1024;

/** A call of any procedure, alone or with others in a batch, the way that tRPC's clients make them or nearly so. */
export function oddCall(random: Random, { procedures }: Pick<AttackedApp, 'procedures'>, known: KnownIds): OddCall {
  const called = random.many(1, random.chance(0.3) ? random.pick([3, 10, 12, 200]) : 1, () => random.pick(procedures));
  const isBatch = called.length > 1 || random.chance(0.1);
  const path = `/api/trpc/${called.map((procedure) => procedure.path).join(',')}`;
  const inputs = called.map((procedure) => oddInput(random, procedure, known));
  const keyed = Object.fromEntries(inputs.map((input, at) => [random.chance(0.95) ? at : oddText(random, 8), input]));
  const text = random.chance(0.1) ? oddBody(random) : JSON.stringify(isBatch ? keyed : inputs[0]);
  const isRead = random.chance(0.9) ? called[0]?.type !== 'mutation' : random.chance(0.5);
  const query = new URLSearchParams({ ...(isBatch && { batch: '1' }), ...(isRead && { input: text.slice(0, 6_000) }) });
  return {
    method: isRead ? 'GET' : random.pick(['POST', 'POST', 'POST', 'POST', 'PUT', 'PATCH']),
    path: `${path.slice(0, 6_000)}?${query}`.slice(0, 15_000),
    headers: {
      ...(!isRead && { 'content-type': random.chance(0.95) ? 'application/json' : 'multipart/form-data; boundary=x' }),
      ...(random.chance(0.2) && { 'trpc-accept': 'application/jsonl' }),
    },
    body: isRead ? '' : text,
  };
}

function oddBody(random: Random): string {
  const size = random.pick([300, 10_000, BODY_MAX - 10, BODY_MAX + 10]);
  if (random.chance(0.3)) return hugeArrays(random, Math.min(2_000, Math.floor(size / 50)));
  const json = oddJson(random, size);
  return random.chance(0.5) ? json : `{"json":${json}}`;
}
