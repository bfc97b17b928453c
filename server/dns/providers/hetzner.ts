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
import { pendingChanges } from '../record-plan/changes.ts';
import { endsInName, plainValue, zoneFileValue } from '../record-values.ts';
import { relativeName, wholeName } from '../zone-names.ts';
import { type DnsFailure, dnsError } from './failures.ts';
import { ask, askOnce, type DnsRequest, type DnsVendor, repeated, untilDone } from './http.ts';
import { writeInTurn } from './write-in-turn.ts';
import { everyPage, identityOfZones, readNamed, refuseAlias, warningsFor } from './zone-reading.ts';

/**
 * Hetzner keeps record sets, and changes them one by one (docs.hetzner.cloud, "Zones", "Zone RRSets" and "Actions";
 * hetznercloud/hcloud-go, 2026-08). A write answers with an action, which finishes some time later: it is polled until
 * it succeeds, since reads before that show the old state. `set_records` replaces all values of a set but not its time
 * to live, which has an action of its own.
 *
 * Names are relative; `@` is the zone's own; values are as in a zone file, so a name without its last dot is relative
 * as well, and texts are quoted strings. A set without a time to live has that of its zone. The records of a secondary
 * zone come from its primary server and cannot be written.
 */
const TITLE = 'Hetzner';
/** The largest page of a list. */
const ITEMS_A_PAGE = 50;
/** docs.hetzner.cloud, "Zone RRSets": the range of a time to live. */
const TTL_MIN = 60;
const TTL_MAX = 2_147_483_647;
/** An action on a zone takes a second or two. */
const ASK_AGAIN_MS = 1_000;

type Call = DnsProviderCall<'hetzner'>;

const metaSchema = z.optional(
  z.object({ pagination: z.optional(z.nullable(z.object({ next_page: z.optional(z.nullable(z.number())) }))) }),
);
const zoneSchema = z.object({ id: z.number(), name: z.string(), ttl: z.number(), mode: z.optional(z.string()) });
const zonesSchema = z.object({ zones: listOf(zoneSchema), meta: metaSchema });
const recordSchema = z.object({ value: z.string(), comment: z.optional(z.nullable(z.string())) });
const setSchema = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.optional(z.nullable(z.number())),
  records: listOf(recordSchema),
  protection: z.optional(z.object({ change: z.optional(z.boolean()) })),
});
const setsSchema = z.object({ rrsets: listOf(setSchema), meta: metaSchema });
const actionSchema = z.object({
  action: z.object({
    id: z.number(),
    status: z.string(),
    error: z.optional(z.nullable(z.object({ code: z.string(), message: z.string() }))),
  }),
});
const refusalSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

type Action = z.infer<typeof actionSchema>['action'];
type HetznerRecord = z.infer<typeof recordSchema>;
type HeldSet = FoundRecordSet & { records: readonly HetznerRecord[] };
type VendorZone = { vendor: DnsVendor; zone: DnsZone };

/** Creates the adapter; `apiUrl` is `https://api.hetzner.cloud/v1`. */
export function hetzner({ apiUrl }: { apiUrl: string }): DnsProvider<'hetzner'> {
  return {
    id: 'hetzner',
    verify: (call) => verify(call, open(call, apiUrl)),
    zones: async (call) => {
      const zones = await listZones(call, open(call, apiUrl));
      return zones.map(({ id, name }) => ({ id: String(id), name: name.toLowerCase(), apexAlias: null }));
    },
    read: async (call, zone, name) => {
      const sets = await readSets(call, { vendor: open(call, apiUrl), zone }, { name, asking: ask });
      return sets.map(({ records: _records, ...set }) => set);
    },
    write: (call, zone, changes) => write(call, { vendor: open(call, apiUrl), zone }, changes),
  };
}

function open({ credentials: { token } }: Call, apiUrl: string): DnsVendor {
  // 3,600 requests an hour, of which one is restored each second (docs.hetzner.cloud, "Rate Limiting").
  return { title: TITLE, apiUrl, token, sort, words, refillsSteadily: true };
}

/** Another action runs on the zone, or the set appeared since it was read: the next read decides. */
const BUSY: ReadonlySet<string> = new Set(['locked', 'conflict', 'uniqueness_error', 'resource_unavailable']);
const SECONDARY = 'incorrect_zone_mode';
/** The last one comes with the status of a missing permission. */
const REFUSED: ReadonlySet<string> = new Set([SECONDARY, 'protected', 'resource_limit_exceeded']);

function sort(_status: number, body: unknown): DnsFailure | undefined {
  const code = refusalSchema.safeParse(body).data?.error.code ?? '';
  if (BUSY.has(code)) return 'platform_down';
  return REFUSED.has(code) ? 'records_refused' : undefined;
}

function words(body: unknown): string | null {
  const { error } = refusalSchema.safeParse(body).data ?? {};
  if (error?.code === SECONDARY) return 'this is a secondary zone, whose records are kept at its primary server';
  return error?.message ?? null;
}

async function verify(call: Call, vendor: DnsVendor): Promise<DnsConnectionInfo> {
  const zones = await listZones(call, vendor);
  const secondary = zones.filter(({ mode }) => mode === 'secondary');
  const warnings = secondary.map(
    ({ name }) => `${name} is a secondary zone: its records are kept at its primary server.`,
  );
  return {
    identity: identityOfZones(TITLE, zones),
    subject: null,
    warnings: [...(await warningsFor(TITLE, zones)), ...warnings],
  };
}

async function listZones(call: Call, vendor: DnsVendor): Promise<z.infer<typeof zoneSchema>[]> {
  return everyPage(1, async (page) => {
    const url = `/zones?page=${page}&per_page=${ITEMS_A_PAGE}`;
    const { zones, meta } = await ask(call, vendor, { url }, zonesSchema);
    return { items: zones, next: nextPage(meta) };
  });
}

function nextPage(meta: z.infer<typeof metaSchema>): number | null {
  return meta?.pagination?.next_page ?? null;
}

async function readSets(
  call: Call,
  at: VendorZone,
  { name, asking }: { name: string; asking: typeof ask },
): Promise<HeldSet[]> {
  const { vendor, zone } = at;
  const sets = await everyPage(1, async (page) => {
    const query = new URLSearchParams({ name: relativeName(zone, name), page: `${page}`, per_page: `${ITEMS_A_PAGE}` });
    const { rrsets, meta } = await asking(call, vendor, { url: `${addressOf(at)}?${query}` }, setsSchema);
    return { items: rrsets, next: nextPage(meta) };
  });
  const named = sets.filter((set) => wholeName(zone, set.name) === name);
  const isBare = named.some(({ ttl }) => typeof ttl !== 'number');
  const zoneTtl = isBare ? await readZoneTtl(call, at, asking) : 0;
  return named.map(({ type, ttl, records, protection }) => ({
    type,
    name,
    ttl: ttl ?? zoneTtl,
    values: [...new Set(records.map(({ value }) => textOf(zone, type, value)))],
    ...(protection?.change === true && { isFixed: true }),
    records,
  }));
}

async function readZoneTtl(call: Call, { vendor, zone }: VendorZone, asking: typeof ask): Promise<number> {
  const url = `/zones/${encodeURIComponent(zone.id)}`;
  return (await asking(call, vendor, { url }, z.object({ zone: zoneSchema }))).zone.ttl;
}

function addressOf({ zone }: VendorZone, set?: Pick<RecordChange, 'type' | 'name'>): string {
  const sets = `/zones/${encodeURIComponent(zone.id)}/rrsets`;
  return set === undefined ? sets : `${sets}/${encodeURIComponent(relativeName(zone, set.name))}/${set.type}`;
}

function textOf(zone: DnsZone, type: string, value: string): string {
  if (!endsInName(type) || value.endsWith('.')) return plainValue(type, value);
  const [name = '', ...before] = value.split(' ').reverse();
  return [...before.reverse(), wholeName(zone, name)].join(' ');
}

/** Returns the value as it is sent; an unchanged one is sent as it is there, with its comment. */
function recordOf(zone: DnsZone, type: string, value: string, held: readonly HetznerRecord[]): HetznerRecord {
  const kept = held.find((record) => textOf(zone, type, record.value) === value);
  if (kept !== undefined) return { value: kept.value, ...(kept.comment && { comment: kept.comment }) };
  return { value: zoneFileValue(type, value) };
}

async function write(call: Call, at: VendorZone, changes: readonly RecordChange[]): Promise<void> {
  refuseAlias(TITLE, changes);
  const found = await readNamed(changes, (name) => readSets(call, at, { name, asking: ask }));
  const pending = pendingChanges(changes, found);
  await writeInTurn(pending, (change) => repeated(call, () => writeSet(call, at, change)));
}

/**
 * Reads the set each time: a step may have been done although its answer was lost, or somebody else may have changed
 * the set.
 */
async function writeSet(call: Call, at: VendorZone, change: RecordChange): Promise<void> {
  const found = await readSets(call, at, { name: change.name, asking: askOnce });
  const hasValues = pendingChanges([change], found).length === 0;
  const held = found.find(({ type }) => type === change.type) ?? null;
  for (const step of stepsOf(at, change, held, hasValues)) {
    const { action } = await askOnce(call, at.vendor, step, actionSchema);
    await finish(call, at.vendor, action);
  }
}

/**
 * Returns the steps of a change. The values come last, so that the next read notices a run that broke off before them.
 * If they are refused the set still has the old ones, and only its time to live is restored.
 */
function stepsOf(
  at: VendorZone,
  change: RecordChange,
  held: HeldSet | null,
  hasValues: boolean,
): readonly DnsRequest[] {
  const { type, name, after } = change;
  const url = addressOf(at, change);
  if (after === null) return held === null ? [] : [{ method: 'DELETE', url }];
  const ttl = Math.min(Math.max(after.ttl, TTL_MIN), TTL_MAX);
  const records = after.values.map((value) => recordOf(at.zone, type, value, held?.records ?? []));
  if (held === null) {
    const json = { name: relativeName(at.zone, name), type, ttl, records };
    return [{ method: 'POST', url: addressOf(at), json }];
  }
  return [
    ...(held.ttl === ttl ? [] : [{ method: 'POST' as const, url: `${url}/actions/change_ttl`, json: { ttl } }]),
    ...(hasValues ? [] : [{ method: 'POST' as const, url: `${url}/actions/set_records`, json: { records } }]),
  ];
}

/** Resolves when the action succeeded. */
async function finish(call: Call, vendor: DnsVendor, begun: Action): Promise<void> {
  const action = await untilDone(call, begun, {
    ...{ title: TITLE, said: 'it is still writing', everyMs: ASK_AGAIN_MS },
    isDone: ({ status }) => status !== 'running',
    ask: async () => (await ask(call, vendor, { url: `/actions/${begun.id}` }, actionSchema)).action,
  });
  if (action.status !== 'success') {
    throw dnsError('platform_failed', TITLE, {
      said: action.error?.message ?? `its action ended with the status ${action.status}`,
    });
  }
}
