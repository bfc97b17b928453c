import * as z from 'zod/mini';
import { READING_TOKEN } from '../dns-world.ts';
import { conflictIn, type HeldRecord, type HeldZone, newId, pageOf } from '../held-zones.ts';
import { at, type Reply, type Route, type StandInCall } from '../stand-in.ts';

export type CloudflareState = {
  zones: Map<string, HeldZone>;
  /** The body of each batch that was taken. */
  batches: Batch[];
  /** Runs just before the next batch, as a change by somebody else. */
  meanwhile: (() => void) | null;
};

type Call = StandInCall<CloudflareState>;

const ttlSchema = z.union([z.literal(1), z.int().check(z.minimum(60), z.maximum(86_400))]);
const recordSchema = z.strictObject({
  type: z.enum(['A', 'AAAA', 'CNAME', 'TXT', 'CAA', 'MX', 'NS']),
  name: z.string(),
  ttl: ttlSchema,
  content: z.optional(z.string()),
  data: z.optional(z.strictObject({ flags: z.number(), tag: z.string(), value: z.string() })),
  priority: z.optional(z.number()),
  proxied: z.optional(z.boolean()),
  comment: z.optional(z.string()),
});
const batchSchema = z.strictObject({
  deletes: z.optional(z.array(z.strictObject({ id: z.string() }))),
  patches: z.optional(z.array(z.strictObject({ id: z.string(), ...z.partial(recordSchema).shape }))),
  puts: z.optional(z.array(z.strictObject({ id: z.string(), ...recordSchema.shape }))),
  posts: z.optional(z.array(recordSchema)),
});
type Batch = z.infer<typeof batchSchema>;
type SentRecord = z.infer<ReturnType<typeof z.partial<typeof recordSchema>>>;

const PROXIABLE: readonly string[] = ['A', 'AAAA', 'CNAME'];
const ZONES_MAX = 50;

export const ROUTES: readonly Route<CloudflareState>[] = [
  at('GET', '/user/tokens/verify', 'account', async () =>
    success({ id: 'ed17574386854bf78a67040be0a770b0', status: 'active' }),
  ),
  at('GET', '/zones', 'zones', async (call) => listZones(call)),
  at('GET', '/zones/{zone_id}/dns_records', 'records', async (call) =>
    withZone(call, (zone) => listRecords(call, zone)),
  ),
  at('POST', '/zones/{zone_id}/dns_records/batch', 'change', async (call) =>
    withZone(call, (zone) => runBatch(call, zone)),
  ),
];

export function refusal(status: number, code: number, message: string): Reply {
  return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
}

function success(result: unknown, info?: unknown): Reply {
  const more = info === undefined ? {} : { result_info: info };
  return { status: 200, body: { success: true, errors: [], messages: [], result, ...more } };
}

function withZone({ state, parts }: Call, work: (zone: HeldZone) => Reply): Reply {
  const zone = state.zones.get(parts[0] ?? '');
  return zone === undefined
    ? refusal(404, 7003, 'Could not route to /zones, perhaps your object identifier is invalid?')
    : work(zone);
}

function page<T>(all: readonly T[], query: URLSearchParams, sizes: { usual: number; max: number }): Reply {
  const number = Number(query.get('page') ?? 1);
  const size = Number(query.get('per_page') ?? sizes.usual);
  if (size > sizes.max) return refusal(400, 6003, 'Invalid per_page');
  const items = pageOf(all, number, size);
  return success(items, {
    page: number,
    per_page: size,
    count: items.length,
    total_count: all.length,
    total_pages: Math.max(1, Math.ceil(all.length / size)),
  });
}

function listZones({ state, query }: Call): Reply {
  const all = [...state.zones.values()].map(({ id, name }) => ({
    id,
    name,
    status: 'active',
    type: 'full',
    paused: false,
    account: { id: '023e105f4ecef8ad9ca31a8372d0c353', name: 'Account of a person' },
    name_servers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
  }));
  return page(all, query, { usual: 20, max: ZONES_MAX });
}

function listRecords({ query }: Call, zone: HeldZone): Reply {
  const exact = query.get('name.exact');
  // The name servers of the zone are Cloudflare's own and no records of it.
  const all = zone.records.filter(
    ({ type, name }) => (exact === null || name === exact) && !(type === 'NS' && name === zone.name),
  );
  return page(all.map(recordBody), query, { usual: 100, max: 5_000 });
}

function recordBody({ id, type, name, ttl, value, raw, isProxied }: HeldRecord): Record<string, unknown> {
  const [priority, ...rest] = value.split(' ');
  const parts =
    type === 'MX' ? { content: rest.join(' '), priority: Number(priority) } : { content: raw ?? shown(type, value) };
  return {
    id,
    type,
    name,
    ...parts,
    ttl: isProxied ? 1 : ttl,
    proxied: isProxied,
    proxiable: PROXIABLE.includes(type),
    settings: {},
    meta: {},
    comment: null,
    tags: [],
    created_on: '2026-01-01T00:00:00Z',
    modified_on: '2026-01-01T00:00:00Z',
  };
}

/** Long texts come in several strings. */
function shown(type: string, value: string): string {
  if (type !== 'TXT') return value;
  const strings = value.match(/.{1,255}/gs) ?? [''];
  return strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ');
}

function runBatch({ state, headers, body }: Call, zone: HeldZone): Reply {
  if (headers.authorization === `Bearer ${READING_TOKEN}`) return refusal(403, 10000, 'Authentication error');
  const batch = batchSchema.parse(JSON.parse(body.toString()));
  state.meanwhile?.();
  state.meanwhile = null;
  const { deletes = [], patches = [], posts = [] } = batch;
  const next: HeldZone = { ...zone, records: zone.records.map((record) => ({ ...record })) };
  for (const { id } of [...deletes, ...patches]) {
    if (!next.records.some((record) => record.id === id)) return refusal(404, 81044, 'Record does not exist.');
  }
  next.records = next.records.filter(({ id }) => !deletes.some((one) => one.id === id));
  for (const patch of patches) {
    const record = next.records.find(({ id }) => id === patch.id);
    if (record !== undefined) Object.assign(record, fieldsOf(patch, record.isProxied));
  }
  for (const post of posts) {
    const record = { id: newId(), type: post.type, name: post.name, ttl: post.ttl, value: '', isProxied: false };
    next.records.push({ ...record, ...fieldsOf(post, post.proxied === true) });
  }
  for (const record of next.records) {
    const conflict = conflictIn(next, record);
    if (conflict === 'same') return refusal(400, 81058, 'An identical record already exists.');
    if (conflict === 'alias') return refusal(400, 81053, 'An A, AAAA, or CNAME record with that host already exists.');
  }
  zone.records = next.records;
  state.batches.push(batch);
  return success({ deletes: [], patches: [], puts: [], posts: [] });
}

function fieldsOf({ type, ttl, content, data, proxied }: SentRecord, wasProxied: boolean): Partial<HeldRecord> {
  const isProxied = proxied ?? wasProxied;
  const value = data === undefined ? textOf(type, content) : `${data.flags} ${data.tag} "${data.value}"`;
  return {
    ...(value !== undefined && { value, raw: undefined }),
    isProxied,
    ...(ttl !== undefined && { ttl: isProxied ? 1 : ttl }),
  };
}

/** Quoted strings are joined; a text without quotes is one string. */
function textOf(type: string | undefined, content: string | undefined): string | undefined {
  if (type !== 'TXT' || content === undefined || !content.startsWith('"')) return content;
  const strings = content.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
  if (strings.some((text) => text.replace(/\\./g, '.').length > 257)) throw new Error('A string is longer than 255.');
  return strings.map((text) => text.slice(1, -1).replace(/\\(.)/gs, '$1')).join('');
}
