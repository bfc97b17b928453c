import * as z from 'zod/mini';
import { READING_TOKEN } from '../dns-world.ts';
import { conflictIn, type HeldRecord, type HeldZone, newId, pageOf } from '../held-zones.ts';
import { at, type Reply, type Route, type StandInCall } from '../stand-in.ts';

export type DigitalOceanState = {
  zones: Map<string, HeldZone>;
  /** Tokens with scopes for domains alone do not open the account. */
  hasAccountScope: boolean;
};

type Call = StandInCall<DigitalOceanState>;

const recordSchema = z.object({
  type: z.optional(z.string()),
  name: z.optional(z.string()),
  data: z.optional(z.string()),
  ttl: z.optional(z.int()),
  flags: z.optional(z.number()),
  tag: z.optional(z.string()),
});
type SentRecord = z.infer<typeof recordSchema>;

const NAMING: readonly string[] = ['CNAME', 'NS', 'MX'];
const TTL_USUAL = 1_800;
const TTL_MIN = 30;
const TXT_MAX = 512;
const ITEMS_MAX = 200;
const RECORDS = '/v2/domains/{domain_name}/records';
const RECORD = `${RECORDS}/{domain_record_id}`;

export const ROUTES: readonly Route<DigitalOceanState>[] = [
  at('GET', '/v2/account', 'account', async ({ state }) => readAccount(state)),
  at('GET', '/v2/domains', 'zones', async (call) => listDomains(call)),
  at('GET', RECORDS, 'records', async (call) => withZone(call, (zone) => listRecords(call, zone))),
  at('POST', RECORDS, 'change', async (call) => changing(call, (zone) => create(call, zone))),
  at('PUT', RECORD, 'change', async (call) => changing(call, (zone) => update(call, zone))),
  at('PATCH', RECORD, 'change', async (call) => changing(call, (zone) => update(call, zone))),
  at('DELETE', RECORD, 'change', async (call) => changing(call, (zone) => remove(call, zone))),
];

export function refusal(status: number, id: string, message: string): Reply {
  return { status, body: { id, message } };
}

const NOT_FOUND = refusal(404, 'not_found', 'The resource you were accessing could not be found.');

function invalid(message: string): Reply {
  return refusal(422, 'unprocessable_entity', message);
}

function readAccount({ hasAccountScope }: DigitalOceanState): Reply {
  if (!hasAccountScope) return refusal(403, 'Forbidden', 'You are not authorized to perform this operation');
  return {
    status: 200,
    body: {
      account: {
        droplet_limit: 25,
        floating_ip_limit: 5,
        email: 'person@example.com',
        uuid: 'b6fr89dbf6d9156cace5f3c78dc9851d957381ef',
        email_verified: true,
        status: 'active',
        status_message: '',
      },
    },
  };
}

/** The zone is known by its name. */
function withZone({ state, parts }: Call, work: (zone: HeldZone) => Reply): Reply {
  const zone = [...state.zones.values()].find(({ name }) => name === parts[0]);
  return zone === undefined ? NOT_FOUND : work(zone);
}

function changing(call: Call, work: (zone: HeldZone) => Reply): Reply {
  if (call.headers.authorization === `Bearer ${READING_TOKEN}`) {
    return refusal(403, 'Forbidden', 'You are not authorized to perform this operation');
  }
  return withZone(call, work);
}

function page({ query, origin }: Call, all: readonly unknown[], key: string, path: string): Reply {
  const number = Number(query.get('page') ?? 1);
  const size = Math.min(Number(query.get('per_page') ?? 20), ITEMS_MAX);
  const last = Math.max(1, Math.ceil(all.length / size));
  const address = (at: number): string => `${origin}${path}?page=${at}&per_page=${size}`;
  const forward = { next: address(number + 1), last: address(last) };
  return {
    status: 200,
    body: {
      [key]: pageOf(all, number, size),
      links: number < last ? { pages: forward } : {},
      meta: { total: all.length },
    },
  };
}

function listDomains(call: Call): Reply {
  const all = [...call.state.zones.values()].map(({ name }) => ({
    name,
    ttl: TTL_USUAL,
    zone_file: `$ORIGIN ${name}.`,
  }));
  return page(call, all, 'domains', '/v2/domains');
}

function listRecords(call: Call, zone: HeldZone): Reply {
  const name = call.query.get('name');
  const all = zone.records.filter((record) => name === null || record.name === name);
  return page(
    call,
    all.map((record) => recordBody(zone, record)),
    'domain_records',
    `/v2/domains/${zone.name}/records`,
  );
}

/** Ids are numbers there. */
function numberOf(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

function recordBody(zone: HeldZone, { id, type, name, ttl, value }: HeldRecord): Record<string, unknown> {
  const [, flags, tag, authority] = /^(\d+) (\w+) "(.*)"$/.exec(value) ?? [];
  const [, priority, host] = /^(\d+) (.+)$/.exec(value) ?? [];
  const isCaa = type === 'CAA';
  const isMx = type === 'MX';
  const data = (isCaa ? authority : isMx ? host : value) ?? '';
  return {
    id: numberOf(id),
    type,
    name: name === zone.name ? '@' : name.slice(0, -zone.name.length - 1),
    data: NAMING.includes(type) && data === zone.name ? '@' : data,
    priority: isMx ? Number(priority) : null,
    port: null,
    ttl,
    weight: null,
    flags: isCaa ? Number(flags) : null,
    tag: isCaa ? tag : null,
  };
}

function create({ body }: Call, zone: HeldZone): Reply {
  const sent = recordSchema.parse(JSON.parse(body.toString()));
  const record = { id: newId(), type: '', name: zone.name, ttl: TTL_USUAL, value: '', isProxied: false };
  return put(zone, { ...record, type: sent.type ?? '' }, sent, 201);
}

function update(call: Call, zone: HeldZone): Reply {
  const record = zone.records.find(({ id }) => String(numberOf(id)) === call.parts[1]);
  if (record === undefined) return NOT_FOUND;
  return put(zone, record, recordSchema.parse(JSON.parse(call.body.toString())), 200);
}

function put(zone: HeldZone, record: HeldRecord, sent: SentRecord, status: number): Reply {
  const wrong = faultIn(record.type, sent);
  if (wrong !== null) return invalid(wrong);
  const { name, data, ttl = record.ttl } = sent;
  const next: HeldRecord = {
    ...record,
    ttl,
    ...(name !== undefined && { name: name === '@' ? zone.name : `${name}.${zone.name}` }),
    ...(data !== undefined && { value: heldValue(zone, record.type, sent) }),
  };
  const conflict = conflictIn(zone, next);
  if (conflict === 'alias') return invalid('CNAME records cannot share a name with other records');
  zone.records = [...zone.records.filter(({ id }) => id !== record.id), next];
  return { status, body: { domain_record: recordBody(zone, next) } };
}

function faultIn(type: string, { data, ttl, tag }: SentRecord): string | null {
  if (ttl !== undefined && ttl < TTL_MIN) return 'Ttl must be greater than or equal to 30';
  if (data === undefined) return null;
  if (type === 'CNAME' && !data.endsWith('.')) return 'Data needs to end with a dot (.)';
  if (type === 'CAA' && tag !== 'iodef' && !/^[^\s;]+\.$/.test(data)) return 'Data needs to end with a dot (.)';
  if (type === 'TXT' && (data.length > TXT_MAX || data.includes('\\'))) return 'Data is not valid';
  return null;
}

function heldValue(zone: HeldZone, type: string, { data = '', flags, tag }: SentRecord): string {
  if (type === 'CAA') return `${flags} ${tag} "${data.replace(/\.$/, '')}"`;
  if (!NAMING.includes(type)) return data;
  return data === '@' ? zone.name : data.replace(/\.$/, '');
}

function remove(call: Call, zone: HeldZone): Reply {
  const record = zone.records.find(({ id }) => String(numberOf(id)) === call.parts[1]);
  if (record === undefined) return NOT_FOUND;
  zone.records = zone.records.filter((one) => one !== record);
  return { status: 204 };
}
