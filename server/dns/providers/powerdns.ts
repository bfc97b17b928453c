import * as z from 'zod/mini';
import { listOf } from '../../lib/egress/answer-json.ts';
import type { DnsProvider, DnsProviderCall, DnsZone, FoundRecordSet, RecordChange } from '../provider.ts';
import { comparableName, plainValue, zoneFileValue } from '../record-values.ts';
import { dnsError, isFailure } from './failures.ts';
import { ask, askOnce, type DnsVendor } from './http.ts';
import { writeAtOnce } from './write-at-once.ts';
import { namesOf, warningsFor } from './zone-reading.ts';

/**
 * PowerDNS Authoritative Server (doc.powerdns.com/authoritative/http-api, tried with 4.7). It keeps record sets, and
 * one PATCH of a zone is all or nothing. `REPLACE` writes a whole set; names and the names within values end in a dot,
 * texts are quoted. Of two simultaneous writes one ends with status 500, and is repeated after another read. A write
 * cannot be made conditional: what another program adds to a set between that read and the write is lost. To add and
 * to remove single values, `EXTEND` and `PRUNE` came with 4.9.12 and 5.0.2, which few servers have yet.
 *
 * Only a server with `expand-alias` answers an ALIAS; its own settings say so. A zone that is transferred from
 * elsewhere cannot be written here and is left out.
 */
const TITLE = 'PowerDNS';
const SERVER = '/api/v1/servers/localhost';
/** The limit for a handful of names: parsing the strings of a megabyte takes a third of a second. */
const CHARACTERS_MAX = 64 * 1024;
/**
 * The list of zones comes whole, with fourteen values and some 230 bytes each: this covers two and a half thousand
 * zones.
 */
const ALL_ZONES = { bytes: 640 * 1024, values: 40_000 };
const WRITTEN_ELSEWHERE: ReadonlySet<string> = new Set(['slave', 'secondary', 'consumer']);

type Call = DnsProviderCall<'powerdns'>;

const serverSchema = z.object({ daemon_type: z.string(), version: z.string() });
const zonesSchema = listOf(z.object({ id: z.string(), name: z.string(), kind: z.string() }));
const settingsSchema = listOf(z.object({ name: z.string(), value: z.optional(z.unknown()) }));
const zoneSchema = z.object({
  rrsets: listOf(
    z.object({
      name: z.string(),
      type: z.string(),
      ttl: z.optional(z.number()),
      records: listOf(z.object({ content: z.string(), disabled: z.optional(z.boolean()) })),
    }),
  ),
});
const refusalSchema = z.object({ error: z.string() });

type SentSet = z.infer<typeof zoneSchema>['rrsets'][number];
/** `contents`: the values in their stored form, so that unchanged ones are written back byte by byte. */
type HeldSet = FoundRecordSet & { contents: readonly string[] };

/** Creates the adapter. The address comes with the connection: it is the person's own server. */
export function powerdns(): DnsProvider<'powerdns'> {
  return {
    id: 'powerdns',
    serverOf: ({ url }) => new URL(url).href,
    async verify(call) {
      const { version } = await readServer(call);
      const zones = await listZones(call);
      const { host } = new URL(call.credentials.url);
      const warnings = await warningsFor(TITLE, zones);
      return { identity: `${host}, ${TITLE} ${version}`, subject: call.credentials.url, warnings };
    },
    async zones(call) {
      const [zones, apexAlias] = [await listZones(call), await readApexAlias(call)];
      return zones.map(({ id, name }) => ({ id, name: comparableName(name), apexAlias }));
    },
    read: async (call, zone, name) => (await readSets(call, { zone, names: [name], asking: ask })).map(foundSet),
    readNames: async (call, zone, names) => (await readSets(call, { zone, names, asking: ask })).map(foundSet),
    write: (call, zone, changes) =>
      writeAtOnce(call, changes, {
        look: () => readSets(call, { zone, names: namesOf(changes), asking: askOnce }),
        make: async (pending, found) => {
          const json = { rrsets: toSets(pending, found) };
          await askOnce(call, open(call), { method: 'PATCH', url: urlOf(zone), json }, z.object({}));
        },
      }),
  };
}

function open({ credentials: { url, apiKey } }: Call): DnsVendor {
  return {
    title: TITLE,
    apiUrl: url,
    headers: { 'x-api-key': apiKey },
    secrets: [apiKey],
    words: (body) => refusalSchema.safeParse(body).data?.error ?? null,
  };
}

async function readServer(call: Call): Promise<z.infer<typeof serverSchema>> {
  const asked = await ask(call, open(call), { url: SERVER }, serverSchema).catch((error: unknown) => {
    if (!isFailure(error, 'zone_not_found')) throw error;
    throw dnsError('platform_failed', TITLE, { said: 'its API is not at this address', cause: error });
  });
  if (asked.daemon_type === 'authoritative') return asked;
  throw dnsError('platform_failed', TITLE, { said: `this is its ${asked.daemon_type}, which keeps no zones` });
}

async function listZones(call: Call): Promise<z.infer<typeof zonesSchema>> {
  const zones = await ask(
    call,
    open(call),
    { url: `${SERVER}/zones?dnssec=false`, answersWith: ALL_ZONES },
    zonesSchema,
  );
  return zones.filter(({ kind }) => !WRITTEN_ELSEWHERE.has(kind.toLowerCase()));
}

async function readApexAlias(call: Call): Promise<DnsZone['apexAlias']> {
  const settings = await ask(call, open(call), { url: `${SERVER}/config` }, settingsSchema);
  return settings.some(({ name, value }) => name === 'expand-alias' && value === 'yes') ? 'ALIAS' : null;
}

function urlOf({ id }: DnsZone): string {
  return `${SERVER}/zones/${encodeURIComponent(id)}`;
}

/**
 * Reads the whole zone each time: for a single name the server leaves out disabled records, which a write would lose.
 */
async function readSets(
  call: Call,
  { zone, names, asking }: { zone: DnsZone; names: readonly string[]; asking: typeof ask },
): Promise<readonly HeldSet[]> {
  const { rrsets } = await asking(call, open(call), { url: urlOf(zone) }, zoneSchema);
  const named = rrsets.filter(({ name }) => names.includes(comparableName(name)));
  const characters = named.flatMap(({ records }) => records).reduce((sum, { content }) => sum + content.length, 0);
  if (characters > CHARACTERS_MAX)
    throw dnsError('records_refused', TITLE, { said: 'the records there are too large' });
  return named.map(fromSet);
}

function fromSet({ name, type, ttl, records }: SentSet): HeldSet {
  const contents = records.map(({ content }) => content);
  return {
    type,
    name: comparableName(name),
    ttl: ttl ?? 0,
    values: contents.map((content) => plainValue(type, content)),
    ...(records.some(({ disabled }) => disabled === true) && { isFixed: true }),
    contents,
  };
}

function foundSet({ contents: _contents, ...set }: HeldSet): FoundRecordSet {
  return set;
}

/** Puts removals first: the server processes the sets in order, and allows nothing beside a CNAME. */
function toSets(changes: readonly RecordChange[], found: readonly HeldSet[]) {
  const contentOf = (name: string, type: string, value: string): string => {
    const held = found.find((set) => set.type === type && set.name === name);
    return held?.contents.find((content) => plainValue(type, content) === value) ?? zoneFileValue(type, value);
  };
  const gone = changes.filter(({ after }) => after === null);
  const coming = changes.filter(({ after }) => after !== null);
  return [...gone, ...coming].map(({ type, name, after }) => ({
    name: `${name}.`,
    type,
    ...(after === null
      ? { changetype: 'DELETE' }
      : {
          changetype: 'REPLACE',
          ttl: after.ttl,
          records: after.values.map((value) => ({ content: contentOf(name, type, value), disabled: false })),
        }),
  }));
}
