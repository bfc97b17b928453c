import * as z from 'zod/mini';
import { READING_TOKEN } from '../dns-world.ts';
import { conflictIn, type HeldRecord, type HeldZone, newId, pageOf } from '../held-zones.ts';
import { at, type Reply, type Route, type StandInCall } from '../stand-in.ts';

export type HetznerState = {
  zones: Map<string, HeldZone>;
  /** Names of zones that are secondary. */
  secondary: Set<string>;
  /** `name type` of sets that are protected from changes. */
  fixed: Set<string>;
  /** Comments by value. */
  comments: Map<string, string>;
  /** `name type` of sets without a time to live of their own. */
  bare: Set<string>;
  /** The number of questions about a new action before it is done. */
  looksUntilDone: number;
  /** The errors of the next actions, in order; an action without one succeeds. */
  actionErrors: (string | null)[];
  /** Runs just before the next write, as a change by somebody else. */
  meanwhile: (() => void) | null;
  actions: RunningAction[];
};

type RunningAction = { id: number; looks: number; error: string | null; zone: HeldZone; apply(): void };
type Call = StandInCall<HetznerState>;
type SetKey = { type: string; name: string };

const recordsSchema = z.array(z.strictObject({ value: z.string(), comment: z.optional(z.string()) }));
const ttlSchema = z.int().check(z.minimum(60), z.maximum(2_147_483_647));
const createSchema = z.strictObject({ name: z.string(), type: z.string(), ttl: ttlSchema, records: recordsSchema });

const NAMING: readonly string[] = ['CNAME', 'NS', 'MX'];
const ITEMS_MAX = 50;
const ZONE_TTL = 3_600;
const SETS = '/zones/{id_or_name}/rrsets';
const SET = `${SETS}/{rr_name}/{rr_type}`;

export const ROUTES: readonly Route<HetznerState>[] = [
  at('GET', '/zones', 'zones', async (call) => listZones(call)),
  at('GET', '/zones/{id_or_name}', 'records', async (call) =>
    withZone(call, (zone) => ({ status: 200, body: { zone: zoneBody(call.state, zone) } })),
  ),
  at('GET', SETS, 'records', async (call) => withZone(call, (zone) => listSets(call, zone))),
  at('POST', SETS, 'change', async (call) => changing(call, (zone) => create(call, zone))),
  at('DELETE', SET, 'change', async (call) =>
    onSet(call, (zone, key) => begin(call, zone, () => replace(zone, key, []))),
  ),
  at('POST', `${SET}/actions/set_records`, 'change', async (call) =>
    onSet(call, (zone, key) => setRecords(call, zone, key)),
  ),
  at('POST', `${SET}/actions/change_ttl`, 'change', async (call) =>
    onSet(call, (zone, key) => changeTtl(call, zone, key)),
  ),
  at('GET', '/actions/{id}', 'state', async (call) => readAction(call)),
];

export function refusal(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message, details: {} } } };
}

const NOT_FOUND = refusal(404, 'not_found', 'The requested resource was not found');

/** Zones have numbers there. */
function numberOf(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

function withZone({ state, parts }: Call, work: (zone: HeldZone) => Reply): Reply {
  const zone = [...state.zones.values()].find(({ id, name }) => String(numberOf(id)) === parts[0] || name === parts[0]);
  return zone === undefined ? NOT_FOUND : work(zone);
}

function changing(call: Call, work: (zone: HeldZone) => Reply): Reply {
  if (call.headers.authorization === `Bearer ${READING_TOKEN}`) {
    return refusal(403, 'token_readonly', 'The token is only allowed to perform GET requests');
  }
  return withZone(call, (zone) => {
    if (call.state.secondary.has(zone.name)) {
      return refusal(422, 'incorrect_zone_mode', "This operation is not supported for this Zone's mode");
    }
    const isLocked = call.state.actions.some((action) => action.zone === zone && action.looks > 0);
    if (isLocked) return refusal(423, 'locked', 'zone is locked because another action is running');
    call.state.meanwhile?.();
    call.state.meanwhile = null;
    return work(zone);
  });
}

function onSet(call: Call, work: (zone: HeldZone, key: SetKey) => Reply): Reply {
  return changing(call, (zone) => {
    const [, relative = '', type = ''] = call.parts;
    const key = { type, name: wholeName(zone, relative) };
    if (recordsOf(zone, key).length === 0) return NOT_FOUND;
    if (call.state.fixed.has(`${key.name} ${type}`))
      return refusal(423, 'protected', 'RRSet is protected from changes');
    return work(zone, key);
  });
}

function wholeName(zone: HeldZone, relative: string): string {
  return relative === '@' ? zone.name : `${relative}.${zone.name}`;
}

function relativeName(zone: HeldZone, name: string): string {
  return name === zone.name ? '@' : name.slice(0, -zone.name.length - 1);
}

function recordsOf(zone: HeldZone, { type, name }: SetKey): HeldRecord[] {
  return zone.records.filter((record) => record.type === type && record.name === name);
}

function page({ query }: Call, all: readonly unknown[], key: string): Reply {
  const number = Number(query.get('page') ?? 1);
  const size = Number(query.get('per_page') ?? 25);
  if (size > ITEMS_MAX) return refusal(400, 'invalid_input', 'invalid input in field per_page');
  const last = Math.max(1, Math.ceil(all.length / size));
  const pagination = {
    page: number,
    per_page: size,
    previous_page: number > 1 ? number - 1 : null,
    next_page: number < last ? number + 1 : null,
    last_page: last,
    total_entries: all.length,
  };
  return { status: 200, body: { [key]: pageOf(all, number, size), meta: { pagination } } };
}

function zoneBody({ secondary }: HetznerState, { id, name, records }: HeldZone): Record<string, unknown> {
  return {
    id: numberOf(id),
    name,
    created: '2026-01-01T00:00:00Z',
    ttl: ZONE_TTL,
    mode: secondary.has(name) ? 'secondary' : 'primary',
    primary_nameservers: [],
    protection: { delete: false },
    labels: {},
    authoritative_nameservers: {
      assigned: ['hydrogen.ns.hetzner.com.'],
      delegated: [],
      delegation_last_check: null,
      delegation_status: 'valid',
    },
    registrar: 'other',
    status: 'ok',
    record_count: records.length,
  };
}

function listZones(call: Call): Reply {
  return page(
    call,
    [...call.state.zones.values()].map((zone) => zoneBody(call.state, zone)),
    'zones',
  );
}

function listSets(call: Call, zone: HeldZone): Reply {
  const relative = call.query.get('name');
  const keys = new Map(zone.records.map(({ type, name }) => [`${name} ${type}`, { type, name }]));
  const all = [...keys.values()].filter(({ name }) => relative === null || relativeName(zone, name) === relative);
  return page(
    call,
    all.map((key) => setBody(call.state, zone, key)),
    'rrsets',
  );
}

function setBody({ bare, fixed, comments }: HetznerState, zone: HeldZone, key: SetKey): Record<string, unknown> {
  const held = recordsOf(zone, key);
  const relative = relativeName(zone, key.name);
  return {
    id: `${relative}/${key.type}`,
    name: relative,
    type: key.type,
    ttl: bare.has(`${key.name} ${key.type}`) ? null : (held[0]?.ttl ?? null),
    labels: {},
    protection: { change: fixed.has(`${key.name} ${key.type}`) },
    records: held.map(({ value }) => ({ value: sentValue(zone, key.type, value), comment: comments.get(value) ?? '' })),
    zone: numberOf(zone.id),
  };
}

/** Returns the value as a zone file has it: names below the zone are relative. */
function sentValue(zone: HeldZone, type: string, value: string): string {
  if (type === 'TXT') {
    const strings = value.match(/.{1,255}/gs) ?? [''];
    return strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ');
  }
  if (!NAMING.includes(type)) return value;
  return value.endsWith(`.${zone.name}`) ? value.slice(0, -zone.name.length - 1) : `${value}.`;
}

function heldValue(zone: HeldZone, type: string, value: string): string | null {
  if (type === 'TXT') {
    const strings = value.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
    if (strings.length === 0 || strings.some((text) => text.replace(/\\./gs, '.').length > 257)) return null;
    return strings.map((text) => text.slice(1, -1).replace(/\\(.)/gs, '$1')).join('');
  }
  if (!NAMING.includes(type)) return value;
  return value.endsWith('.') ? value.slice(0, -1) : `${value}.${zone.name}`;
}

function replace(zone: HeldZone, { type, name }: SetKey, records: readonly HeldRecord[]): void {
  zone.records = [...zone.records.filter((record) => record.type !== type || record.name !== name), ...records];
}

function newRecords(
  zone: HeldZone,
  key: SetKey,
  ttl: number,
  sent: z.infer<typeof recordsSchema>,
): HeldRecord[] | null {
  const values = sent.map(({ value }) => heldValue(zone, key.type, value));
  return values.includes(null) || values.length === 0
    ? null
    : values.map((value) => ({ id: newId(), ...key, ttl, value: value ?? '', isProxied: false }));
}

const INVALID = refusal(422, 'invalid_input', "invalid input in fields 'records'");

function create(call: Call, zone: HeldZone): Reply {
  const { name: relative, type, ttl, records } = createSchema.parse(JSON.parse(call.body.toString()));
  const key = { type, name: wholeName(zone, relative) };
  if (recordsOf(zone, key).length > 0) return refusal(409, 'uniqueness_error', 'RRSet already exists');
  const made = newRecords(zone, key, ttl, records);
  const { status, body } = put(call, zone, key, made);
  const isMade = made !== null && status === 201 && typeof body === 'object';
  return isMade
    ? { status, body: { rrset: setBody(call.state, { ...zone, records: made }, key), ...body } }
    : { status, body };
}

function setRecords(call: Call, zone: HeldZone, key: SetKey): Reply {
  const { records } = z.strictObject({ records: recordsSchema }).parse(JSON.parse(call.body.toString()));
  const ttl = recordsOf(zone, key)[0]?.ttl ?? ZONE_TTL;
  const { comments } = call.state;
  comments.clear();
  for (const { value, comment } of records)
    if (comment !== undefined) comments.set(heldValue(zone, key.type, value) ?? '', comment);
  return put(call, zone, key, newRecords(zone, key, ttl, records));
}

function put(call: Call, zone: HeldZone, key: SetKey, records: HeldRecord[] | null): Reply {
  if (records === null) return INVALID;
  const rest = { ...zone, records: zone.records.filter(({ type, name }) => type !== key.type || name !== key.name) };
  if (records.some((record) => conflictIn(rest, record) === 'alias')) return INVALID;
  return begin(call, zone, () => replace(zone, key, records));
}

function changeTtl(call: Call, zone: HeldZone, key: SetKey): Reply {
  const { ttl } = z.strictObject({ ttl: ttlSchema }).parse(JSON.parse(call.body.toString()));
  return begin(call, zone, () =>
    replace(
      zone,
      key,
      recordsOf(zone, key).map((record) => ({ ...record, ttl })),
    ),
  );
}

/** Applies the change when the action is done, and not before. */
function begin({ state }: Call, zone: HeldZone, apply: () => void): Reply {
  const action = {
    id: state.actions.length + 1,
    looks: state.looksUntilDone,
    error: state.actionErrors.shift() ?? null,
    zone,
    apply,
  };
  state.actions.push(action);
  if (action.looks === 0 && action.error === null) apply();
  return { status: 201, body: { action: actionBody(action) } };
}

function readAction({ state, parts }: Call): Reply {
  const action = state.actions.find(({ id }) => String(id) === parts[0]);
  if (action === undefined) return NOT_FOUND;
  if (action.looks > 0) {
    action.looks -= 1;
    if (action.looks === 0 && action.error === null) action.apply();
  }
  return { status: 200, body: { action: actionBody(action) } };
}

function actionBody({ id, looks, error }: RunningAction): Record<string, unknown> {
  const isDone = looks === 0;
  const failed = error === null ? null : { code: 'action_failed', message: error };
  const status = !isDone ? 'running' : failed === null ? 'success' : 'error';
  return {
    id,
    status,
    command: 'set_rrset_records',
    progress: isDone ? 100 : 50,
    started: '2026-01-01T00:00:00Z',
    finished: isDone ? '2026-01-01T00:00:01Z' : null,
    error: isDone ? failed : null,
    resources: [],
  };
}
