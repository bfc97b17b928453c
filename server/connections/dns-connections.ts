import { domainToASCII } from 'node:url';
import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import { DNS_PROVIDER_IDS } from '../../routers/schemas/dns-providers.ts';
import type { Providers } from '../context.ts';
import { type ConnectionDoc, ConnectionModel, type ConnectionRow } from '../database/models/connection.ts';
import { DnsLookupError } from '../dns/dns-client.ts';
import type { DnsProvider, DnsProviderCall, DnsZone, FoundRecordSet } from '../dns/provider.ts';
import { zoneOf } from '../dns/record-plan/record-plan.ts';
import { isWithin } from '../dns/zone-names.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { isPublicSuffix } from '../lib/site-domain.ts';
import { withDnsConnection } from './ask-dns.ts';

/** This many are asked whether they hold a name, the newest first. */
const ASKED_MAX = 5;

/**
 * Returns the named DNS connection of an account, or the working ones. Throws `not_found` when it is no DNS
 * connection.
 */
export async function dnsConnections(accountId: string, connectionId?: string): Promise<ConnectionDoc[]> {
  const provider = { $in: [...DNS_PROVIDER_IDS] };
  if (connectionId !== undefined) {
    const named = await ConnectionModel.findOne({ _id: connectionId, accountId, provider });
    if (named === null) throw notFound('connection');
    return [named];
  }
  return ConnectionModel.find({ accountId, provider, state: 'ok' })
    .sort({ createdAt: -1, _id: -1 })
    .hint('account_newest')
    .limit(ASKED_MAX);
}

/** A zone that can be written, and the connection that opens it. */
export type HeldZone = { connection: ConnectionDoc; zone: DnsZone };

/**
 * Returns the zone of each name that a working DNS connection of the account holds. Throws the errors of a provider
 * when the others do not hold a name.
 */
export async function findHeldZones(
  providers: Providers,
  { accountId, names }: { accountId: string; names: readonly string[] },
  signal: AbortSignal,
): Promise<Map<string, HeldZone>> {
  const held = new Map<string, HeldZone>();
  let failure: { error: unknown } | null = null;
  for (const connection of await dnsConnections(accountId)) {
    const missing = names.filter((name) => !held.has(name));
    if (missing.length === 0) return held;
    try {
      await withDnsConnection(providers, connection, signal, async (provider, call) => {
        const zones = await readZones(provider, call);
        for (const name of missing) {
          const [zone, ...others] = await zonesHolding(providers, { provider, call, zones }, name);
          if (others.length > 0) throw new AppError('records_refused', ambiguousText(others));
          if (zone !== undefined) held.set(name, { connection, zone });
        }
        const used = [...held.values()].flatMap((one) => (one.connection === connection ? [one.zone.name] : []));
        await rememberZones(providers, connection, { zones, used });
      });
    } catch (error) {
      signal.throwIfAborted();
      failure = { error };
    }
  }
  if (failure !== null && names.some((name) => !held.has(name))) throw failure.error;
  return held;
}

/** Enough for a certificate or two a zone; the last used ones stay. */
const USED_MAX = 100;

type UsedZone = { name: string; lostAt?: Date | null };
type Used = { zones: readonly DnsZone[]; used?: readonly string[] };

/**
 * Records the zones that are used through a connection, and when one of them was lost: a provider that has moved a
 * zone elsewhere still accepts the credential. A zone that a connection holds now is not lost by another.
 */
export async function rememberZones(
  { now }: Pick<Providers, 'now'>,
  { _id, accountId, usedZones: before }: Pick<ConnectionRow, '_id' | 'accountId'> & { usedZones: readonly UsedZone[] },
  { zones, used = [] }: Used,
): Promise<void> {
  const names = [...new Set([...before.map(({ name }) => name), ...used])].slice(-USED_MAX);
  const usedZones = names.map((name) => {
    const isHeld = zones.some((zone) => zone.name === name);
    return { name, lostAt: isHeld ? null : (before.find((one) => one.name === name)?.lostAt ?? now()) };
  });
  const keyOf = (all: readonly UsedZone[]): string =>
    all.map(({ name, lostAt }) => `${name} ${lostAt?.getTime()}`).join();
  if (keyOf(usedZones) === keyOf(before)) return;
  await ConnectionModel.updateOne({ _id, accountId }, { $set: { usedZones } });
  const held = usedZones.flatMap(({ name, lostAt }) => (lostAt === null ? [name] : []));
  const elsewhere = { usedZones: { name: { $in: held }, lostAt: { $ne: null } } };
  const others = ConnectionModel.updateMany({ accountId, _id: { $ne: _id } }, { $pull: elsewhere });
  await others.hint('account_newest');
}

/** Connections from before zones were recorded have none. */
type Loser = Pick<ConnectionRow, 'provider' | 'identity'> & { usedZones?: readonly UsedZone[] };

/** Returns a sentence of advice for each used zone that the connection no longer holds. */
export function lostZones({ provider, identity, usedZones = [] }: Loser): { name: string; text: string }[] {
  const title = CONNECTION_TITLES[provider];
  return usedZones.flatMap(({ name, lostAt }) => {
    const text = `Your connection to ${title} (${identity}) no longer holds ${name}. In Settings, connect the account that has the zone now.`;
    return lostAt instanceof Date ? [{ name, text }] : [];
  });
}

/** Names the connection through which a name was served until its zone was lost there; null when there was none. */
export async function lossOf(accountId: string, name: string): Promise<string | null> {
  const losers = await ConnectionModel.find({ accountId, 'usedZones.lostAt': { $gt: new Date(0) } })
    .hint('account_newest')
    .lean();
  return losers.flatMap((loser) => lostZones(loser)).find((lost) => isWithin(name, lost.name))?.text ?? null;
}

/** The limit of zones with one name; the name servers of each are read. */
const SAME_NAME_MAX = 10;

type Opened = { provider: Pick<DnsProvider, 'read'>; call: DnsProviderCall; zones: readonly DnsZone[] };

/**
 * Returns the zone that holds a name: none, or the deepest. Of several with that name it is the one whose name servers
 * the parent names, since nobody sees the others; all of them if that does not decide.
 */
export async function zonesHolding(
  { dns }: Pick<Providers, 'dns'>,
  { provider, call, zones }: Opened,
  name: string,
): Promise<DnsZone[]> {
  const deepest = zoneOf(zones, name);
  const same = zones.filter((zone) => zone.name === deepest?.name).slice(0, SAME_NAME_MAX);
  if (deepest === null || same.length < 2) return same;
  const delegation = await dns.zoneOf(deepest.name, call.signal).catch((error: unknown) => {
    if (error instanceof DnsLookupError) return null;
    throw error;
  });
  const servers = delegation?.parentServers ?? delegation?.servers.map((server) => server.name) ?? [];
  const seen: DnsZone[] = [];
  for (const zone of same) {
    const sets = await provider.read(call, zone, zone.name);
    const own = sets.find(({ type }) => type === 'NS')?.values ?? [];
    if (own.some((server) => servers.includes(server))) seen.push(zone);
  }
  return seen.length === 1 ? seen : same;
}

/** Explains why nothing is written to any of several zones; `others` are the alternatives to one. */
export function ambiguousText(others: readonly DnsZone[]): string {
  return `There are ${others.length + 1} zones named ${others[0]?.name} at your DNS provider, and Fairlead cannot tell which one is in use. Delete the unused ones, or enter the name servers of the right one at your registrar.`;
}

/**
 * The limits for a handful of names. No answer of a name server holds a larger set of addresses (RFC 1035, section
 * 4.2.2); a provider may be anybody's own server, and comparing takes time.
 */
const SETS_MAX = 1_000;
const VALUES_MAX = 4_096;
/** RFC 1035, section 2.3.4. */
const NAME_MAX = 253;
/** PowerDNS has the longest: the name, of which a character may take three. */
const ZONE_ID_MAX = 1_000;

/**
 * Returns the zones that a credential opens, with their names in DNS form, since some providers list `müller.example`.
 * Zones with an impossible id or name are left out (both are stored with what is written), and so are public suffixes:
 * a record written into `de` would be one for everybody.
 */
export async function readZones(provider: Pick<DnsProvider, 'zones'>, call: DnsProviderCall): Promise<DnsZone[]> {
  const zones = await provider.zones(call);
  return zones
    .filter(({ id, name }) => id.length <= ZONE_ID_MAX && name.length <= NAME_MAX)
    .map((zone) => ({ ...zone, name: domainToASCII(zone.name) }))
    .filter(({ name }) => name.includes('.') && name.length <= NAME_MAX && !isPublicSuffix(name));
}

/**
 * Returns the sets of several names, with one request if the provider supports it. Throws `records_refused` when there
 * are too many.
 */
export async function readNames(
  provider: DnsProvider,
  call: DnsProviderCall,
  zone: DnsZone,
  names: readonly string[],
): Promise<FoundRecordSet[]> {
  if (provider.readNames !== undefined) return bounded(zone, await provider.readNames(call, zone, names));
  const found: FoundRecordSet[] = [];
  // They are read in turn: providers count requests, and a change has a handful of names.
  for (const name of names) found.push(...bounded(zone, await provider.read(call, zone, name)));
  return bounded(zone, found);
}

function bounded({ name }: DnsZone, found: readonly FoundRecordSet[]): FoundRecordSet[] {
  const values = found.reduce((sum, set) => sum + set.values.length, 0);
  if (found.length <= SETS_MAX && values <= VALUES_MAX) return [...found];
  throw new AppError('records_refused', `There are too many records in ${name.slice(0, NAME_MAX)}.`, {
    hint: 'Add the records at your provider by hand.',
  });
}
