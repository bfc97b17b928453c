import { parseXml } from '@rgrove/parse-xml';
import * as z from 'zod/mini';
import { elementAt, elementsIn, textAt, xmlElement, xmlText } from '../../../../server/dns/providers/xml-answers.ts';
import { conflictIn, type HeldRecord, type HeldZone, newId } from '../held-zones.ts';
import { at, type Reply, type Route, type StandInCall } from '../stand-in.ts';
import { keyIdIn } from './signature.ts';

export type Route53State = {
  zones: Map<string, HeldZone>;
  /** Ids of zones that only a private network sees. */
  privateZones: Set<string>;
  /** Sets beside the ordinary ones, as XML below ResourceRecordSet, by their whole name. */
  strange: { name: string; type: string; xml: string }[];
  /** The number of questions about a new change before it is everywhere. */
  looksUntilInSync: number;
  changes: { id: string; looks: number }[];
  /** The key that may not do this action. */
  denied: { keyId: string; action: string } | null;
  /** Runs just before the next batch, as a change by somebody else. */
  meanwhile: (() => void) | null;
  /** The batches as they came: all of them, and those that were made. */
  sent: string[];
  batches: string[];
};

type Call = StandInCall<Route53State>;
type Change = { action: string; type: string; name: string; ttl: number; values: string[] };

const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/';
const BASE = '/2013-04-01';
const RECORDS_MAX = 1_000;
const CHARACTERS_MAX = 32_000;

export const ROUTES: readonly Route<Route53State>[] = [
  at('GET', `${BASE}/hostedzone`, 'zones', async (call) => listZones(call)),
  at('GET', `${BASE}/hostedzone/{Id}/rrset`, 'records', async (call) =>
    withZone(call, 'ListResourceRecordSets', (zone) => listSets(call, zone)),
  ),
  ...['rrset', 'rrset/'].map(
    (end): Route<Route53State> =>
      at('POST', `${BASE}/hostedzone/{Id}/${end}`, 'change', async (call) =>
        withZone(call, 'ChangeResourceRecordSets', (zone) => runBatch(call, zone)),
      ),
  ),
  at('GET', `${BASE}/change/{Id}`, 'state', async (call) => readChange(call)),
];

export function refusal(status: number, code: string, message: string): Reply {
  const error = xmlElement('Type', 'Sender') + xmlElement('Code', code) + xmlElement('Message', xmlText(message));
  return xml(status, 'ErrorResponse', xmlElement('Error', error) + xmlElement('RequestId', 'b25f48e8-84fd-11e6'));
}

function xml(status: number, root: string, content: string): Reply {
  const body = `<?xml version="1.0"?>\n<${root} xmlns="${NAMESPACE}">${content}</${root}>`;
  return { status, body, headers: { 'content-type': 'text/xml' } };
}

function denied({ state, headers }: Call, action: string): Reply | null {
  const isDenied = state.denied?.action === action && keyIdIn({ headers }) === state.denied.keyId;
  const words = `User: arn:aws:iam::123456789012:user/fairlead is not authorized to perform: route53:${action}`;
  return isDenied ? refusal(403, 'AccessDenied', words) : null;
}

function withZone(call: Call, action: string, work: (zone: HeldZone) => Reply): Reply {
  const zone = call.state.zones.get(call.parts[0] ?? '');
  const refused = denied(call, action);
  if (refused !== null) return refused;
  return zone === undefined
    ? refusal(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${call.parts[0]}`)
    : work(zone);
}

function listZones(call: Call): Reply {
  const refused = denied(call, 'ListHostedZones');
  if (refused !== null) return refused;
  const { state, query } = call;
  const size = Math.min(Number(query.get('maxitems') ?? 100), 100);
  const all = [...state.zones.values()];
  const start = Math.max(
    0,
    all.findIndex(({ id }) => id === query.get('marker')),
  );
  const next = all[start + size];
  const zones = all.slice(start, start + size).map(({ id, name, records }) => {
    const config = xmlElement('Config', xmlElement('PrivateZone', String(state.privateZones.has(id))));
    const fields =
      xmlElement('Id', `/hostedzone/${id}`) + xmlElement('Name', `${name}.`) + xmlElement('CallerReference', id);
    return xmlElement('HostedZone', fields + config + xmlElement('ResourceRecordSetCount', String(records.length)));
  });
  const marker = next === undefined ? '' : xmlElement('NextMarker', next.id);
  const truncated = xmlElement('IsTruncated', String(next !== undefined));
  return xml(
    200,
    'ListHostedZonesResponse',
    xmlElement('HostedZones', zones.join('')) + truncated + marker + xmlElement('MaxItems', String(size)),
  );
}

/** The labels from the last to the first: the order of names there. */
function sortKey(name: string): string {
  return name.split('.').reverse().join('.');
}

function sentName(name: string): string {
  return `${name.replace('*', '\\052')}.`;
}

function heldName(text: string): string {
  return text.replace('\\052', '*').replace(/\.$/, '').toLowerCase();
}

function listSets({ state, query }: Call, zone: HeldZone): Reply {
  const size = Math.min(Number(query.get('maxitems') ?? 300), 300);
  const keys = new Map(zone.records.map(({ type, name }) => [`${name} ${type}`, { type, name }]));
  const ordinary = [...keys.values()].map(({ type, name }) => ({ type, name, xml: setXml(zone, type, name) }));
  const all = [...ordinary, ...state.strange].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const from = keyOf({ name: heldName(query.get('name') ?? ''), type: query.get('type') ?? '' });
  const start = query.has('name') ? all.findIndex((set) => keyOf(set) >= from) : 0;
  const rest = start === -1 ? [] : all.slice(start);
  const next = rest[size];
  const sets = rest.slice(0, size).map((set) => xmlElement('ResourceRecordSet', set.xml));
  const more =
    next === undefined
      ? ''
      : xmlElement('NextRecordName', sentName(next.name)) + xmlElement('NextRecordType', next.type);
  const truncated = xmlElement('IsTruncated', String(next !== undefined));
  return xml(
    200,
    'ListResourceRecordSetsResponse',
    xmlElement('ResourceRecordSets', sets.join('')) + truncated + more + xmlElement('MaxItems', String(size)),
  );
}

function keyOf({ name, type }: { name: string; type: string }): string {
  return `${sortKey(name)} ${type}`;
}

function setXml(zone: HeldZone, type: string, name: string): string {
  const held = zone.records.filter((record) => record.type === type && record.name === name);
  const records = held.map(({ value, raw }) =>
    xmlElement('ResourceRecord', xmlElement('Value', xmlText(raw ?? sentValue(type, value)))),
  );
  return (
    xmlElement('Name', sentName(name)) +
    xmlElement('Type', type) +
    xmlElement('TTL', String(held[0]?.ttl ?? 0)) +
    xmlElement('ResourceRecords', records.join(''))
  );
}

function sentValue(type: string, value: string): string {
  if (type === 'CNAME' || type === 'NS') return `${value}.`;
  if (type !== 'TXT') return value;
  const strings = value.match(/.{1,255}/gs) ?? [''];
  return strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ');
}

function heldValue(type: string, value: string): string | null {
  if (type === 'CNAME' || type === 'NS') return value.replace(/\.$/, '').toLowerCase();
  if (type !== 'TXT') return value;
  const strings = value.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
  if (strings.length === 0 || strings.some((text) => text.replace(/\\./gs, '.').length > 257)) return null;
  return strings.map((text) => text.slice(1, -1).replace(/\\(.)/gs, '$1')).join('');
}

const changeSchema = z.strictObject({
  action: z.enum(['CREATE', 'DELETE', 'UPSERT']),
  type: z.enum(['A', 'AAAA', 'CNAME', 'TXT', 'CAA', 'MX', 'NS']),
  name: z.string().check(z.regex(/\.$/)),
  ttl: z.int().check(z.minimum(0), z.maximum(2_147_483_647)),
  values: z.array(z.string()).check(z.minLength(1)),
});

function changesIn(body: Buffer): Change[] {
  const { root } = parseXml(body.toString());
  if (root?.name !== 'ChangeResourceRecordSetsRequest' || root.attributes.xmlns !== NAMESPACE) {
    throw new Error('The body is no ChangeResourceRecordSetsRequest.');
  }
  return elementsIn(elementAt(root, 'ChangeBatch', 'Changes'), 'Change').map((change) => {
    const records = elementsIn(elementAt(change, 'ResourceRecordSet', 'ResourceRecords'), 'ResourceRecord');
    const parsed = changeSchema.parse({
      action: textAt(change, 'Action'),
      type: textAt(change, 'ResourceRecordSet', 'Type'),
      name: textAt(change, 'ResourceRecordSet', 'Name'),
      ttl: Number(textAt(change, 'ResourceRecordSet', 'TTL')),
      values: records.map((record) => textAt(record, 'Value')),
    });
    return { ...parsed, name: heldName(parsed.name) };
  });
}

function runBatch({ state, body }: Call, zone: HeldZone): Reply {
  state.sent.push(body.toString());
  const changes = changesIn(body);
  state.meanwhile?.();
  state.meanwhile = null;
  const next: HeldZone = { ...zone, records: [...zone.records] };
  const faults = changes.map((change) => apply(state, next, change)).filter((fault) => fault !== null);
  const values = changes.flatMap((change) => change.values);
  if (values.length > RECORDS_MAX || values.join('').length > CHARACTERS_MAX) faults.push('the batch is too large');
  if (faults.length > 0) return refusal(400, 'InvalidChangeBatch', `[${faults.join(', ')}]`);
  zone.records = next.records;
  state.batches.push(body.toString());
  const change = { id: `C${newId().slice(0, 13).toUpperCase()}`, looks: state.looksUntilInSync };
  state.changes.push(change);
  return xml(200, 'ChangeResourceRecordSetsResponse', changeXml(change));
}

/** Makes one change; says why it cannot be made. */
function apply(state: Route53State, zone: HeldZone, { action, type, name, ttl, values }: Change): string | null {
  const called = `resource record set [name='${sentName(name)}', type='${type}']`;
  const held = zone.records.filter((record) => record.type === type && record.name === name);
  const decoded = values.map((value) => heldValue(type, value));
  if (decoded.includes(null)) return `Invalid Resource Record: FATAL problem: InvalidCharacterString in ${called}`;
  if (action === 'DELETE') {
    if (held.length === 0) return `Tried to delete ${called} but it was not found`;
    const isNamed = ({ value, raw }: HeldRecord) =>
      raw === undefined ? decoded.includes(value) : values.includes(raw);
    const isSame = held[0]?.ttl === ttl && held.length === decoded.length && held.every(isNamed);
    if (!isSame) return `Tried to delete ${called} but the values provided do not match the current values`;
  }
  const isThere = held.length > 0 || state.strange.some((set) => set.type === type && set.name === name);
  if (action === 'CREATE' && isThere) return `Tried to create ${called} but it already exists`;
  zone.records = zone.records.filter((record) => !held.includes(record));
  if (action === 'DELETE') return null;
  const records = values.map((sent, at): HeldRecord => {
    const record = { id: newId(), type, name, ttl, value: decoded[at] ?? '', isProxied: false };
    return type !== 'TXT' || sent === sentValue(type, record.value) ? record : { ...record, raw: sent };
  });
  if (records.some((record) => conflictIn(zone, record) === 'alias')) {
    return `RRSet of type ${type} with DNS name ${sentName(name)} is not permitted as it conflicts with other records`;
  }
  zone.records.push(...records);
  return null;
}

function readChange(call: Call): Reply {
  const refused = denied(call, 'GetChange');
  if (refused !== null) return refused;
  const change = call.state.changes.find(({ id }) => id === call.parts[0]);
  if (change === undefined) return refusal(404, 'NoSuchChange', 'Could not find resource with ID');
  if (change.looks > 0) change.looks -= 1;
  return xml(200, 'GetChangeResponse', changeXml(change));
}

function changeXml({ id, looks }: { id: string; looks: number }): string {
  const status = xmlElement('Status', looks > 0 ? 'PENDING' : 'INSYNC');
  return xmlElement(
    'ChangeInfo',
    xmlElement('Id', `/change/${id}`) + status + xmlElement('SubmittedAt', '2026-01-01T00:00:00Z'),
  );
}
