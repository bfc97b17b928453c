import type { XmlElement } from '@rgrove/parse-xml';
import type {
  DnsConnectionInfo,
  DnsProvider,
  DnsProviderCall,
  DnsZone,
  FoundRecordSet,
  RecordChange,
  RecordData,
} from '../provider.ts';
import { comparableName, plainValue, zoneFileValue } from '../record-values.ts';
import { dnsError, isFailure } from './failures.ts';
import { type DnsVendor, repeated, untilDone } from './http.ts';
import { askSigned, openRoute53, ROUTE53_TITLE as TITLE } from './route53-requests.ts';
import { writeAtOnce } from './write-at-once.ts';
import { elementAt, elementsIn, textAt, xmlAnswer, xmlElement, xmlText } from './xml-answers.ts';
import { everyPage, readNamed, refuseAlias, warningsFor } from './zone-reading.ts';

/**
 * Route 53 keeps record sets, and makes a batch of changes whole or not at all (docs.aws.amazon.com, API reference
 * 2013-04-01, ChangeResourceRecordSets). A set is replaced by a DELETE of exactly what was read, with all its values
 * and its time to live, and a CREATE: if somebody was faster, the whole batch is refused, unlike an UPSERT. A change
 * is PENDING until all name servers have it, and is polled until it is INSYNC.
 *
 * Alias sets and those with a routing policy have no values that we write: they are read, and left alone. Private
 * zones are left out. Names have octal escapes, `*` as `\052`.
 */
const VERSION = '/2013-04-01';
const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/';
const ZONES_A_PAGE = 100;
/** A name has a dozen sets at most, unless it is routed by weight or place. */
const SETS_A_PAGE = 50;
const OCTAL = 8;
/** Most changes are everywhere within a minute (Developer Guide, "Checking the status of your changes"). */
const ASK_AGAIN_MS = 2_000;

type Call = DnsProviderCall<'route53'>;
type HeldSet = FoundRecordSet & {
  /** The set as it was read, repeated in its deletion; null when it must be left alone. */
  raw: RecordData | null;
};
type ChangeInfo = { id: string; isDone: boolean };

/** Creates the adapter; `apiUrl` is `https://route53.amazonaws.com`. */
export function route53({ apiUrl }: { apiUrl: string }): DnsProvider<'route53'> {
  return {
    id: 'route53',
    verify: (call) => verify(call, openRoute53(call, apiUrl)),
    zones: (call) => listZones(call, openRoute53(call, apiUrl)),
    read: async (call, zone, name) => {
      const sets = await repeated(call, () => readSets(call, openRoute53(call, apiUrl), zone, name));
      return sets.map(({ raw: _raw, ...set }) => set);
    },
    write: (call, zone, changes) => write(call, openRoute53(call, apiUrl), zone, changes),
  };
}

async function verify(call: Call, vendor: DnsVendor): Promise<DnsConnectionInfo> {
  // Each action is a permission of its own; Route 53 does not say whether records may be written.
  const warnings = await warningsFor(TITLE, await listZones(call, vendor), {
    read: (zone) => repeated(call, () => readSets(call, vendor, zone, zone.name)),
    warning: ({ name }) => `The access key cannot read the records of ${name}. Allow route53:ListResourceRecordSets.`,
  });
  return { identity: `Access key ${call.credentials.accessKeyId}`, subject: null, warnings };
}

type HostedZone = { id: string; name: string; isPrivate: boolean };

const zonesAnswer = xmlAnswer('ListHostedZonesResponse', (root) => ({
  items: elementsIn(elementAt(root, 'HostedZones'), 'HostedZone').map((zone) => ({
    id: textAt(zone, 'Id').replace('/hostedzone/', ''),
    name: nameOf(textAt(zone, 'Name')),
    isPrivate: elementAt(zone, 'Config', 'PrivateZone')?.text === 'true',
  })),
  next: textAt(root, 'IsTruncated') === 'true' ? textAt(root, 'NextMarker') : null,
}));

async function listZones(call: Call, vendor: DnsVendor): Promise<DnsZone[]> {
  const zones = await everyPage<HostedZone, { marker?: string }>({}, async (at) => {
    const url = `${VERSION}/hostedzone?${new URLSearchParams({ maxitems: `${ZONES_A_PAGE}`, ...at })}`;
    const { items, next } = await repeated(call, () => askSigned(call, vendor, { url }, zonesAnswer));
    return { items, next: next === null ? null : { marker: next } };
  });
  return zones.flatMap(({ isPrivate, ...zone }) => (isPrivate ? [] : [{ ...zone, apexAlias: null }]));
}

/** Returns a name in comparable form: Route 53 escapes bytes in octal. */
function nameOf(text: string): string {
  const name = text.replace(/\\([0-7]{3})/g, (_escape, code: string) =>
    String.fromCharCode(Number.parseInt(code, OCTAL)),
  );
  return comparableName(name);
}

function sentName(name: string): string {
  return `${name.replace(/^\*/, '\\052')}.`;
}

type ReadSet = { name: string; type: string; isOwn: boolean; raw: RecordData };
type Position = { name: string; type?: string; identifier?: string };

const setsAnswer = xmlAnswer('ListResourceRecordSetsResponse', (root) => ({
  sets: elementsIn(elementAt(root, 'ResourceRecordSets'), 'ResourceRecordSet').map(readSet),
  next: textAt(root, 'IsTruncated') === 'true' ? positionIn(root) : null,
}));

function readSet(set: XmlElement): ReadSet {
  const records = elementsIn(elementAt(set, 'ResourceRecords'), 'ResourceRecord');
  const alias = elementAt(set, 'AliasTarget', 'DNSName');
  const values = alias === null ? records.map((record) => textAt(record, 'Value')) : [comparableName(alias.text)];
  return {
    name: nameOf(textAt(set, 'Name')),
    type: textAt(set, 'Type'),
    isOwn:
      alias === null && elementAt(set, 'SetIdentifier') === null && elementAt(set, 'TrafficPolicyInstanceId') === null,
    raw: { ttl: Number(elementAt(set, 'TTL')?.text ?? 0), values },
  };
}

function positionIn(root: XmlElement): Position {
  const type = elementAt(root, 'NextRecordType')?.text;
  const identifier = elementAt(root, 'NextRecordIdentifier')?.text;
  return {
    name: textAt(root, 'NextRecordName'),
    ...(type !== undefined && { type }),
    ...(identifier !== undefined && { identifier }),
  };
}

/** Reads the sets at a name. The list starts there, in the order of names, and ends at the next name. */
async function readSets(call: Call, vendor: DnsVendor, zone: DnsZone, name: string): Promise<HeldSet[]> {
  const read = await everyPage<ReadSet, Position>({ name: sentName(name) }, async (at) => {
    const url = `${addressOf(zone)}?${new URLSearchParams({ maxitems: `${SETS_A_PAGE}`, ...at })}`;
    const { sets, next } = await askSigned(call, vendor, { url }, setsAnswer);
    return { items: sets, next: next !== null && nameOf(next.name) === name ? next : null };
  });
  const named = read.filter((set) => set.name === name);
  return [...new Set(named.map(({ type }) => type))].map((type) => {
    const sets = named.filter((set) => set.type === type);
    const [first] = sets;
    const raw = sets.length === 1 && first?.isOwn === true ? first.raw : null;
    return {
      type,
      name,
      ttl: Math.max(...sets.map((set) => set.raw.ttl)),
      values: [...new Set(sets.flatMap((set) => set.raw.values.map((value) => plainValue(type, value, OCTAL))))],
      ...(raw === null && { isFixed: true }),
      raw,
    };
  });
}

function addressOf({ id }: DnsZone): string {
  return `${VERSION}/hostedzone/${encodeURIComponent(id)}/rrset`;
}

const changeAnswer = xmlAnswer('ChangeResourceRecordSetsResponse', changeIn);
const statusAnswer = xmlAnswer('GetChangeResponse', changeIn);

function changeIn(root: XmlElement): ChangeInfo {
  const id = textAt(root, 'ChangeInfo', 'Id').replace('/change/', '');
  return { id, isDone: textAt(root, 'ChangeInfo', 'Status') === 'INSYNC' };
}

async function write(call: Call, vendor: DnsVendor, zone: DnsZone, changes: readonly RecordChange[]): Promise<void> {
  refuseAlias(TITLE, changes, 'its aliases can only point to AWS addresses');
  let begun: ChangeInfo | null = null;
  await writeAtOnce(call, changes, {
    look: () => readNamed(changes, (name) => readSets(call, vendor, zone, name)),
    make: async (pending, found) => {
      const request = { method: 'POST', url: addressOf(zone), text: batchOf(pending, found) } as const;
      begun = await askSigned(call, vendor, request, changeAnswer);
    },
  });
  if (begun !== null) await waitUntilInSync(call, vendor, begun);
}

/** Puts all deletions first, since a CNAME must be gone before anything else is at its name. */
function batchOf(pending: readonly RecordChange[], found: readonly HeldSet[]): string {
  const deleted: string[] = [];
  const created: string[] = [];
  for (const change of pending) {
    const held = found.find(({ type, name }) => type === change.type && name === change.name);
    if (held?.raw === null) {
      throw dnsError('records_refused', TITLE, {
        said: `the ${change.type} records of ${change.name} are an alias or have a routing policy`,
      });
    }
    if (held !== undefined) deleted.push(changeOf('DELETE', change, held.raw));
    if (change.after !== null)
      created.push(changeOf('CREATE', change, sentState(change.type, change.after, held?.raw)));
  }
  const batch = xmlElement('ChangeBatch', xmlElement('Changes', [...deleted, ...created].join('')));
  const request = 'ChangeResourceRecordSetsRequest';
  return `<?xml version="1.0" encoding="UTF-8"?><${request} xmlns="${NAMESPACE}">${batch}</${request}>`;
}

/** Returns the state to send; an unchanged value is sent as it was read. */
function sentState(type: string, { ttl, values }: RecordData, held: RecordData | undefined): RecordData {
  const sent = values.map(
    (value) => held?.values.find((raw) => plainValue(type, raw, OCTAL) === value) ?? zoneFileValue(type, value, OCTAL),
  );
  return { ttl, values: sent };
}

function changeOf(action: 'DELETE' | 'CREATE', { type, name }: RecordChange, { ttl, values }: RecordData): string {
  const records = values.map((value) => xmlElement('ResourceRecord', xmlElement('Value', xmlText(value))));
  const set = [
    xmlElement('Name', xmlText(sentName(name))),
    xmlElement('Type', type),
    xmlElement('TTL', String(ttl)),
    xmlElement('ResourceRecords', records.join('')),
  ];
  return xmlElement('Change', xmlElement('Action', action) + xmlElement('ResourceRecordSet', set.join('')));
}

async function waitUntilInSync(call: Call, vendor: DnsVendor, begun: ChangeInfo): Promise<void> {
  const url = `${VERSION}/change/${encodeURIComponent(begun.id)}`;
  try {
    await untilDone<Pick<ChangeInfo, 'isDone'>>(call, begun, {
      ...{ title: TITLE, said: 'not all of its name servers have it yet', everyMs: ASK_AGAIN_MS },
      isDone: ({ isDone }) => isDone,
      ask: () => repeated(call, () => askSigned(call, vendor, { url }, statusAnswer)),
    });
  } catch (error) {
    // The records are written; for a key that may not poll the change, the name servers are asked.
    if (!isFailure(error, 'permission_missing')) throw error;
  }
}
