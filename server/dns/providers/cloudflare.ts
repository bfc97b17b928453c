import * as z from 'zod/mini';
import { listOf } from '../../lib/egress/answer-json.ts';
import type {
  DnsConnectionInfo,
  DnsProvider,
  DnsProviderCall,
  DnsZone,
  FoundRecordSet,
  RecordChange,
  RecordData,
} from '../provider.ts';
import { caaPartsOf, plainValue, toCharacterStrings } from '../record-values.ts';
import { type DnsFailure, isFailure } from './failures.ts';
import { ask, askOnce, type DnsVendor } from './http.ts';
import { writeAtOnce } from './write-at-once.ts';
import { everyPage, identityOfZones, readNamed, refuseAlias, toRecordSets, warningsFor } from './zone-reading.ts';

/**
 * Cloudflare keeps single records, each with an id. `POST /zones/{id}/dns_records/batch` runs deletes, patches, puts and
 * posts, in this order and in one transaction, so that a CNAME can give way to an A record
 * (developers.cloudflare.com, "Batch record changes"; API reference, "DNS Records").
 *
 * A record that is there and gets another value is patched: it keeps its proxy, its comment and its tags. New records are
 * not proxied, since the proxy answers with addresses of its own. A time to live of 1 is Cloudflare's "automatic", the
 * only one a proxied record can have; it is read and written back as 1. A CNAME at the zone's own name is flattened.
 */
const TITLE = 'Cloudflare';
/** The largest page of zones. */
const ZONES_A_PAGE = 50;
const RECORDS_A_PAGE = 100;
const AUTOMATIC = 1;
/** Enterprise zones go down to 30. */
const TTL_MIN = 60;
const TTL_MAX = 86_400;
const PROXIABLE: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME']);

type Call = DnsProviderCall<'cloudflare'>;

const recordSchema = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  ttl: z.number(),
  content: z.optional(z.string()),
  priority: z.optional(z.number()),
  proxied: z.optional(z.boolean()),
});
const pageSchema = <T>(item: z.ZodMiniType<T>) =>
  z.object({
    result: listOf(item),
    result_info: z.optional(z.nullable(z.object({ page: z.number(), total_pages: z.optional(z.number()) }))),
  });
const zoneSchema = z.object({
  id: z.string(),
  name: z.string(),
  account: z.optional(z.object({ id: z.string(), name: z.optional(z.string()) })),
});
const doneSchema = z.object({ success: z.literal(true) });
const refusalSchema = z.object({
  errors: listOf(
    z.object({
      code: z.optional(z.number()),
      message: z.string(),
      error_chain: z.optional(listOf(z.object({ code: z.optional(z.number()), message: z.string() }))),
    }),
  ),
});

type CloudflareRecord = z.infer<typeof recordSchema>;
type CloudflareZone = z.infer<typeof zoneSchema>;
type HeldSet = FoundRecordSet & { records: readonly CloudflareRecord[] };

/** Creates the adapter; `apiUrl` is `https://api.cloudflare.com/client/v4`. */
export function cloudflare({ apiUrl }: { apiUrl: string }): DnsProvider<'cloudflare'> {
  return {
    id: 'cloudflare',
    verify: (call) => verify(call, open(call, apiUrl)),
    zones: async (call) => {
      const zones = await listZones(call, open(call, apiUrl));
      return zones.map(({ id, name }) => ({ id, name: name.toLowerCase(), apexAlias: 'CNAME' as const }));
    },
    read: async (call, zone, name) => {
      const sets = await readSets(call, open(call, apiUrl), { zone, name, asking: ask });
      return sets.map(({ records: _records, ...set }) => set);
    },
    write: (call, zone, changes) => write(call, open(call, apiUrl), zone, changes),
  };
}

function open({ credentials: { token } }: Call, apiUrl: string): DnsVendor {
  return { title: TITLE, apiUrl, token, sort, words };
}

/**
 * These mean "Invalid request headers" with "Invalid format for Authorization header", and "Unable to authenticate
 * request".
 */
const MALFORMED: ReadonlySet<number> = new Set([6003, 6111, 10001]);
/** Means "Invalid access token" as well as "Unauthorized to access requested resource". */
const ACCESS = 9109;
/** These mean "Could not route to /zones/…, perhaps your object identifier is invalid?" */
const NO_ROUTE: ReadonlySet<number> = new Set([7000, 7003]);

function sort(status: number, body: unknown): DnsFailure | undefined {
  const { success, data } = refusalSchema.safeParse(body);
  if (!success) return undefined;
  const errors = data.errors.flatMap(({ error_chain: chain = [], ...error }) => [error, ...chain]);
  const has = (codes: ReadonlySet<number>): boolean => errors.some(({ code = 0 }) => codes.has(code));
  if (has(MALFORMED)) return 'credentials_invalid';
  if (errors.some(({ code, message }) => code === ACCESS && /invalid access token/i.test(message))) {
    return 'credentials_invalid';
  }
  return status < 500 && has(NO_ROUTE) ? 'zone_not_found' : undefined;
}

function words(body: unknown): string | null {
  const [error] = refusalSchema.safeParse(body).data?.errors ?? [];
  if (error === undefined) return null;
  return [error, ...(error.error_chain ?? [])].map(({ message }) => message).join(': ');
}

async function verify(call: Call, vendor: DnsVendor): Promise<DnsConnectionInfo> {
  const zones = await listZones(call, vendor).catch((error: unknown) => sortByToken(call, vendor, error));
  const accounts = new Map(zones.flatMap(({ account }) => (account === undefined ? [] : [[account.id, account.name]])));
  const names = [...accounts.values()].filter((name) => name !== undefined);
  const [subject = null, ...others] = accounts.keys();
  return {
    identity: names.length > 0 ? names.join(', ') : identityOfZones(TITLE, zones),
    subject: others.length > 0 ? null : subject,
    // Zones and their records need different permissions; Cloudflare does not say what may be written.
    warnings: await warningsFor(TITLE, zones, {
      read: ({ id }) => ask(call, vendor, { url: `/zones/${id}/dns_records?per_page=1` }, pageSchema(recordSchema)),
      warning: ({ name }) => `The token cannot read the records of ${name}. Give it the permission DNS: Edit.`,
    }),
  };
}

/** Sorts "Authentication error", which means an unknown token as well as one that lacks a permission. */
async function sortByToken(call: Call, vendor: DnsVendor, error: unknown): Promise<never> {
  if (isFailure(error, 'permission_missing')) await ask(call, vendor, { url: '/user/tokens/verify' }, doneSchema);
  throw error;
}

async function listZones(call: Call, vendor: DnsVendor): Promise<CloudflareZone[]> {
  return everyPage(1, async (page) => {
    const url = `/zones?page=${page}&per_page=${ZONES_A_PAGE}`;
    const { result, result_info: info } = await ask(call, vendor, { url }, pageSchema(zoneSchema));
    return { items: result, next: page < (info?.total_pages ?? 1) ? page + 1 : null };
  });
}

type Reading = { zone: DnsZone; name: string; asking: typeof ask };

async function readSets(call: Call, vendor: DnsVendor, { zone, name, asking }: Reading): Promise<HeldSet[]> {
  const records = await everyPage(1, async (page) => {
    const query = new URLSearchParams({ 'name.exact': name, page: `${page}`, per_page: `${RECORDS_A_PAGE}` });
    const url = `/zones/${encodeURIComponent(zone.id)}/dns_records?${query}`;
    const { result, result_info: info } = await asking(call, vendor, { url }, pageSchema(recordSchema));
    return { items: result, next: page < (info?.total_pages ?? 1) ? page + 1 : null };
  });
  // The filter ignores case, and other records that pass it do not matter here.
  const named = records.filter((record) => record.name.toLowerCase() === name);
  return toRecordSets(name, named, textOf).map((set) => ({
    ...set,
    ...(PROXIABLE.has(set.type) && { isProxied: set.records.some(({ proxied }) => proxied === true) }),
  }));
}

function textOf({ type, content = '', priority }: CloudflareRecord): string {
  return plainValue(type, type === 'MX' && priority !== undefined ? `${priority} ${content}` : content);
}

async function write(call: Call, vendor: DnsVendor, zone: DnsZone, changes: readonly RecordChange[]): Promise<void> {
  refuseAlias(TITLE, changes, 'it uses CNAME records where others use ALIAS');
  await writeAtOnce(call, changes, {
    look: () => readNamed(changes, (name) => readSets(call, vendor, { zone, name, asking: askOnce })),
    make: async (pending, found) => {
      const url = `/zones/${encodeURIComponent(zone.id)}/dns_records/batch`;
      const parts = pending.map((change) => batchOf(change, recordsOf(found, change)));
      const json = {
        deletes: parts.flatMap(({ deletes }) => deletes),
        patches: parts.flatMap(({ patches }) => patches),
        posts: parts.flatMap(({ posts }) => posts),
      };
      await askOnce(call, vendor, { method: 'POST', url, json }, doneSchema);
    },
  });
}

function recordsOf(found: readonly HeldSet[], { type, name }: RecordChange): readonly CloudflareRecord[] {
  return found.find((set) => set.type === type && set.name === name)?.records ?? [];
}

type Batch = { deletes: { id: string }[]; patches: Record<string, unknown>[]; posts: Record<string, unknown>[] };

/** Reuses the record of a removed value for an added one; the rest is deleted or created. */
function batchOf({ type, name, before, after }: RecordChange, records: readonly CloudflareRecord[]): Batch {
  if (after === null) return { deletes: records.map(({ id }) => ({ id })), patches: [], posts: [] };
  const unchanged = records.filter((record) => after.values.includes(textOf(record)));
  const going = records.filter((record) => !unchanged.includes(record));
  const there = new Set(unchanged.map(textOf));
  const coming = after.values.filter((value) => !there.has(value));
  const patched = [
    ...unchanged.map((record) => ({ record, value: textOf(record) })),
    ...coming.slice(0, going.length).map((value, at) => ({ record: going[at], value })),
  ];
  return {
    deletes: going.slice(coming.length).map(({ id }) => ({ id })),
    patches: patched.flatMap(({ record, value }) => {
      if (record === undefined) return [];
      const isKept = textOf(record) === value;
      const ttl = isKept && before?.ttl === after.ttl ? record.ttl : ttlOf(after, record.proxied === true);
      if (isKept && record.ttl === ttl) return [];
      return [{ id: record.id, type, name, ttl, ...contentOf(type, value) }];
    }),
    posts: coming.slice(going.length).map((value) => {
      const proxied = after.isProxied === true;
      return {
        type,
        name,
        ttl: ttlOf(after, proxied),
        ...contentOf(type, value),
        ...(PROXIABLE.has(type) && { proxied }),
      };
    }),
  };
}

function ttlOf({ ttl }: RecordData, isProxied: boolean): number {
  if (isProxied || ttl === AUTOMATIC) return AUTOMATIC;
  return Math.min(Math.max(ttl, TTL_MIN), TTL_MAX);
}

function contentOf(type: string, value: string): Record<string, unknown> {
  if (type === 'TXT') return { content: toCharacterStrings(value) };
  const data = type === 'CAA' ? caaPartsOf(value) : null;
  return data === null ? { content: value } : { data };
}
