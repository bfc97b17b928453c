import * as z from 'zod/mini';
import { listOf } from '../../lib/egress/answer-json.ts';
import type {
  DnsConnectionInfo,
  DnsProvider,
  DnsProviderCall,
  DnsZone,
  FoundRecordSet,
  RecordChange,
} from '../provider.ts';
import { caaPartsOf, comparableName, endsInName } from '../record-values.ts';
import { relativeName, wholeName } from '../zone-names.ts';
import { isFailure } from './failures.ts';
import { ask, askOnce, type DnsRequest, type DnsVendor, repeated } from './http.ts';
import { pendingChangesInTurn, writeInTurn } from './write-in-turn.ts';
import { everyPage, identityOfZones, readNamed, refuseAlias, toRecordSets, warningsFor } from './zone-reading.ts';

/**
 * DigitalOcean keeps single records, each with an id, and takes them one by one (docs.digitalocean.com, API reference,
 * "Domain Records"; OpenAPI description of 2026-08). The same record can exist twice, and a set cannot be replaced as
 * a whole: an added value takes over the record of a removed one, further values are created, and only then the rest
 * is deleted, so that a name is never without an answer.
 *
 * Names are relative; `@` is the zone's own, as a name and as a value. Values that are names are sent with their last
 * dot and come back without it, also in CAA records. Texts are sent as they are, without quotes.
 */
const TITLE = 'DigitalOcean';
/** The largest page of a list. */
const ITEMS_A_PAGE = 200;
const TTL_MIN = 30;

type Call = DnsProviderCall<'digitalocean'>;

const linksSchema = z.optional(z.object({ pages: z.optional(z.object({ next: z.optional(z.string()) })) }));
const domainsSchema = z.object({ domains: listOf(z.object({ name: z.string() })), links: linksSchema });
const recordSchema = z.object({
  id: z.number(),
  type: z.string(),
  name: z.optional(z.string()),
  data: z.optional(z.nullable(z.string())),
  ttl: z.optional(z.number()),
  priority: z.optional(z.nullable(z.number())),
  port: z.optional(z.nullable(z.number())),
  weight: z.optional(z.nullable(z.number())),
  flags: z.optional(z.nullable(z.number())),
  tag: z.optional(z.nullable(z.string())),
});
const recordsSchema = z.object({ domain_records: listOf(recordSchema), links: linksSchema });
/** The written record, or nothing after a deletion. */
const doneSchema = z.object({});
const accountSchema = z.object({
  account: z.object({
    email: z.string(),
    uuid: z.string(),
    team: z.optional(z.object({ uuid: z.string(), name: z.string() })),
  }),
});
const refusalSchema = z.object({ message: z.string() });

type OceanRecord = z.infer<typeof recordSchema>;
type VendorZone = { vendor: DnsVendor; zone: DnsZone };

/** Creates the adapter; `apiUrl` is `https://api.digitalocean.com/v2`. */
export function digitalocean({ apiUrl }: { apiUrl: string }): DnsProvider<'digitalocean'> {
  return {
    id: 'digitalocean',
    verify: (call) => verify(call, open(call, apiUrl)),
    zones: (call) => listZones(call, open(call, apiUrl)),
    read: (call, zone, name) => readSets(call, { vendor: open(call, apiUrl), zone }, name),
    write: (call, zone, changes) => write(call, { vendor: open(call, apiUrl), zone }, changes),
  };
}

function open({ credentials: { token } }: Call, apiUrl: string): DnsVendor {
  return {
    title: TITLE,
    apiUrl,
    token,
    words: (body) => refusalSchema.safeParse(body).data?.message ?? null,
  };
}

async function verify(call: Call, vendor: DnsVendor): Promise<DnsConnectionInfo> {
  const zones = await listZones(call, vendor);
  const account = await readAccount(call, vendor);
  return {
    identity: account?.team?.name ?? account?.email ?? identityOfZones(TITLE, zones),
    subject: account?.team?.uuid ?? account?.uuid ?? null,
    warnings: await warningsFor(TITLE, zones),
  };
}

/** Returns null when the token has only the scopes of domains, as it should. */
async function readAccount(call: Call, vendor: DnsVendor): Promise<z.infer<typeof accountSchema>['account'] | null> {
  try {
    return (await ask(call, vendor, { url: '/account' }, accountSchema)).account;
  } catch (error) {
    if (isFailure(error, 'permission_missing')) return null;
    throw error;
  }
}

async function listZones(call: Call, vendor: DnsVendor): Promise<DnsZone[]> {
  const domains = await everyPage(1, async (page) => {
    const url = `/domains?page=${page}&per_page=${ITEMS_A_PAGE}`;
    const { domains: items, links } = await ask(call, vendor, { url }, domainsSchema);
    return { items, next: links?.pages?.next === undefined ? null : page + 1 };
  });
  return domains.map(({ name }) => ({ id: name, name: name.toLowerCase(), apexAlias: null }));
}

function addressOf({ zone }: VendorZone, record?: OceanRecord): string {
  const records = `/domains/${encodeURIComponent(zone.id)}/records`;
  return record === undefined ? records : `${records}/${record.id}`;
}

async function readRecords(
  call: Call,
  at: VendorZone,
  { name, asking }: { name: string; asking: typeof ask },
): Promise<OceanRecord[]> {
  const records = await everyPage(1, async (page) => {
    const query = new URLSearchParams({ name, page: `${page}`, per_page: `${ITEMS_A_PAGE}` });
    const request = { url: `${addressOf(at)}?${query}` };
    const { domain_records: items, links } = await asking(call, at.vendor, request, recordsSchema);
    return { items, next: links?.pages?.next === undefined ? null : page + 1 };
  });
  return records.filter((record) => wholeName(at.zone, record.name ?? '@') === name);
}

async function readSets(call: Call, at: VendorZone, name: string): Promise<FoundRecordSet[]> {
  const records = await readRecords(call, at, { name, asking: ask });
  const timed = records.map((record) => ({ ...record, ttl: record.ttl ?? TTL_MIN }));
  const sets = toRecordSets(name, timed, (record) => textOf(at.zone, record));
  return sets.map(({ records: _records, ...set }) => set);
}

function textOf(zone: DnsZone, { type, data, priority, port, weight, flags, tag }: OceanRecord): string {
  const value = data ?? '';
  if (type === 'CAA') return `${flags ?? 0} ${tag ?? ''} "${value === '@' ? zone.name : value.replace(/\.$/, '')}"`;
  if (!endsInName(type)) return value;
  const name = comparableName(value === '@' ? zone.name : value);
  if (type === 'MX') return `${priority ?? 0} ${name}`;
  return type === 'SRV' ? `${priority ?? 0} ${weight ?? 0} ${port ?? 0} ${name}` : name;
}

/** Returns the fields that carry a value. */
function fieldsOf(type: string, value: string): Record<string, unknown> {
  if (type === 'CNAME') return { data: `${value}.` };
  const caa = type === 'CAA' ? caaPartsOf(value) : null;
  if (caa === null) return { data: value };
  // The address for reports is not a name.
  const data = caa.tag === 'iodef' ? caa.value : `${caa.value}.`;
  return { data, flags: caa.flags, tag: caa.tag };
}

async function write(call: Call, at: VendorZone, changes: readonly RecordChange[]): Promise<void> {
  refuseAlias(TITLE, changes);
  const found = await readNamed(changes, (name) => readSets(call, at, name));
  const pending = pendingChangesInTurn(changes, found);
  await writeInTurn(pending, (change) => repeated(call, () => writeSet(call, at, change)));
}

/** Reads the set first each time, so that a step whose answer was lost is not repeated. */
async function writeSet(call: Call, at: VendorZone, change: RecordChange): Promise<void> {
  const records = await readRecords(call, at, { name: change.name, asking: askOnce });
  const held = records.filter(({ type }) => type === change.type);
  for (const step of stepsOf(at, change, held)) await askOnce(call, at.vendor, step, doneSchema);
}

/** Returns the requests in order: change, create, delete. */
function stepsOf(
  at: VendorZone,
  { type, name, before, after }: RecordChange,
  held: readonly OceanRecord[],
): readonly DnsRequest[] {
  const valueIn = (record: OceanRecord): string => textOf(at.zone, record);
  const ttl = Math.max(after?.ttl ?? TTL_MIN, TTL_MIN);
  const there = new Set(held.map(valueIn));
  const wanted = new Set(after?.values);
  const coming = [...wanted].filter((value) => !there.has(value));
  const going = held.filter((record) => !wanted.has(valueIn(record)) && before?.values.includes(valueIn(record)));
  const lasting = before?.ttl === after?.ttl ? [] : held.filter((record) => wanted.has(valueIn(record)));
  const written = coming.map((value, index): DnsRequest => {
    const record = going[index];
    const json = { type, name: relativeName(at.zone, name), ttl, ...fieldsOf(type, value) };
    return { method: record === undefined ? 'POST' : 'PUT', url: addressOf(at, record), json };
  });
  return [
    ...written,
    ...lasting
      .filter((record) => record.ttl !== ttl)
      .map((record): DnsRequest => ({ method: 'PATCH', url: addressOf(at, record), json: { type, ttl } })),
    ...going.slice(coming.length).map((record): DnsRequest => ({ method: 'DELETE', url: addressOf(at, record) })),
  ];
}
