import type { Providers } from '../context.ts';
import { type ConnectionDoc, ConnectionModel } from '../database/models/connection.ts';
import { ChallengeRecordModel, type ChallengeRecordRow } from '../database/models/domains/challenge-record.ts';
import type { DnsZone, FoundRecordSet, RecordChange } from '../dns/provider.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { withDnsConnection } from './ask-dns.ts';
import { type HeldZone, readNames } from './dns-connections.ts';
import { withZoneLease } from './zone-lease.ts';

/** Longer than an answer takes to appear and be validated; a run that goes on extends it. */
const NEEDED_MS = 30 * MINUTE_MS;
/** Doubles with each failure. */
const TRY_AGAIN_FIRST_MS = HOUR_MS;
const TRY_AGAIN_MAX_MS = DAY_MS;
/** The record lives no longer than its validation. */
const TTL_S = 60;
/** The number of writes, because somebody else may write to the same set at the same time. */
const WRITES_MAX = 3;
const SHOWN_LATER_MS = 1_000;
/** The maintenance tries again if a provider needs longer. */
const TAKE_AWAY_MS = MINUTE_MS;

/** The certificate that the work is for. */
export type Certified = { accountId: string; certificateId: string };

type Texts = ReadonlyMap<string, readonly string[]>;

/** Records what will be put into a zone, before it is. */
export async function saveChallengeRecords(
  { now }: Pick<Providers, 'now'>,
  { accountId, certificateId }: Certified,
  { connection, zone, sets }: HeldZone & { sets: Texts },
): Promise<void> {
  const neededUntil = new Date(now().getTime() + NEEDED_MS);
  for (const [name, values] of sets) {
    for (const value of values) {
      const _id = `${certificateId} ${name} ${value}`;
      const fields = { certificateId, connectionId: connection._id, zone, name, value, neededUntil };
      await ChallengeRecordModel.updateOne({ _id, accountId }, { $set: fields }, { upsert: true });
    }
  }
}

/**
 * Puts saved texts into the sets of their names; those of others stay. Throws the errors of the provider, and
 * `not_found` when the connection was removed meanwhile, and what was saved with it.
 */
export async function putTexts(
  providers: Providers,
  { accountId, certificateId }: Certified,
  { connection, zone, sets }: HeldZone & { sets: Texts },
  signal: AbortSignal,
): Promise<void> {
  const connectionId = connection._id;
  const stillSaved = async () => {
    const isThere = await ConnectionModel.exists({ _id: connectionId, accountId });
    const saved = await ChallengeRecordModel.find({ accountId, certificateId, connectionId }).lean();
    const has = (name: string, value: string) => saved.some((one) => one.name === name && one.value === value);
    const isWhole = [...sets].every(([name, values]) => values.every((value) => has(name, value)));
    if (isThere === null || !isWhole) throw notFound('connection');
    return sets;
  };
  await writeTexts(providers, { connection, zone }, stillSaved, 'add', signal);
}

/**
 * Adds texts to the sets of their names, or removes them. Which ones is read once this run is the zone's only writer
 * of ours: another may have saved or removed them while it waited. The sets are read back, since other programs may
 * have written what they had read before.
 */
async function writeTexts(
  providers: Providers,
  { connection, zone }: HeldZone,
  readTexts: () => Promise<Texts>,
  act: 'add' | 'remove',
  signal: AbortSignal,
): Promise<void> {
  await withDnsConnection(providers, connection, signal, (provider, call) =>
    withZoneLease(providers, { provider, call, zone }, async () => {
      const sets = await readTexts();
      let raced: AppError | null = null;
      for (let writes = 0; ; writes += 1) {
        // A provider may show a moment later what it accepted.
        if (writes > 1) await call.wait(SHOWN_LATER_MS, call.signal);
        const found = await readNames(provider, call, zone, [...sets.keys()]);
        const changes = [...sets].flatMap(([name, values]) => changeOf(name, values, found, act) ?? []);
        if (changes.length === 0) return;
        if (writes === WRITES_MAX && raced !== null) throw raced;
        // What was accepted is looked for at the name servers next: they are what counts.
        if (writes === WRITES_MAX) return;
        raced = await raceOf(provider.write(call, zone, changes));
      }
    }),
  );
}

/** Returns the error of a write that somebody else's came before; null when it was accepted. */
async function raceOf(writing: Promise<void>): Promise<AppError | null> {
  try {
    await writing;
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'records_changed') return error;
    throw error;
  }
}

function changeOf(
  name: string,
  ours: readonly string[],
  found: readonly FoundRecordSet[],
  act: 'add' | 'remove',
): RecordChange | null {
  const at = found.filter((set) => set.name === name);
  const alias = at.find(({ type }) => type === 'CNAME');
  if (alias !== undefined) {
    if (act === 'remove') return null;
    // RFC 1034, section 3.6.2.
    const message = `${name} is a CNAME record that points to ${alias.values.join(', ')}, so no TXT record can be there.`;
    throw new AppError('records_refused', message, { hint: 'Remove it at your DNS provider.' });
  }
  const there = at.find(({ type }) => type === 'TXT');
  const before = there === undefined ? null : { ttl: there.ttl, values: there.values };
  const others = (before?.values ?? []).filter((value) => !ours.includes(value));
  const values =
    act === 'add' ? [...(before?.values ?? []), ...ours.filter((one) => !before?.values.includes(one))] : others;
  if (values.length === (before?.values.length ?? 0)) return null;
  return { type: 'TXT', name, before, after: values.length === 0 ? null : { ttl: before?.ttl ?? TTL_S, values } };
}

/**
 * Removes the records of an account that any run has put into zones: those for a certificate, those written through a
 * connection, or all; with `failures` null only those that no run has failed to remove. What a provider fails to remove
 * in time is tried again later (`removeLeftRecords`). `removed` is their connection, if nobody else has it any more.
 */
export async function removeChallengeRecords(
  providers: Providers,
  of: { accountId: string; certificateId?: string; connectionId?: string; failures?: null },
  signal: AbortSignal,
  { withinMs = TAKE_AWAY_MS, removed }: { withinMs?: number | undefined; removed?: ConnectionDoc } = {},
): Promise<void> {
  await takeAway(providers, await ChallengeRecordModel.find(of).lean(), { signal, withinMs, removed });
}

type StoredRecord = ChallengeRecordRow & { _id: string };

/** Removes records until the time is over; the rest stays for the next run. */
export async function takeAway(
  providers: Providers,
  records: readonly StoredRecord[],
  { signal, withinMs, removed }: { signal: AbortSignal; withinMs: number; removed?: ConnectionDoc | undefined },
): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  const placeOf = ({ certificateId, connectionId, zone }: StoredRecord): string =>
    `${certificateId} ${connectionId} ${storedZone(zone).id}`;
  for (const place of new Set(records.map(placeOf))) {
    signal.throwIfAborted();
    if (within.aborted) return;
    const its = records.filter((record) => placeOf(record) === place);
    const [first] = its;
    if (first !== undefined) await takeAwayOf(providers, first, its, { signal, within, removed });
  }
}

async function takeAwayOf(
  providers: Providers,
  { accountId, certificateId, connectionId, zone, failures }: StoredRecord,
  records: readonly StoredRecord[],
  { signal, within, removed }: { signal: AbortSignal; within: AbortSignal; removed: ConnectionDoc | undefined },
): Promise<void> {
  // A run that needs one again has extended it.
  const own = { accountId, $or: records.map(({ _id, neededUntil }) => ({ _id, neededUntil })) };
  const stillLeft = async () => {
    const sets = new Map<string, string[]>();
    for (const { name, value } of await ChallengeRecordModel.find(own).lean())
      sets.set(name, [...(sets.get(name) ?? []), value]);
    return sets;
  };
  try {
    const connection: ConnectionDoc | null =
      removed ?? (await ConnectionModel.findOne({ _id: connectionId, accountId }));
    // Without the connection nobody can remove them any more.
    if (connection !== null) {
      await writeTexts(providers, { connection, zone: storedZone(zone) }, stillLeft, 'remove', within);
    }
    await ChallengeRecordModel.deleteMany(own);
  } catch (error) {
    signal.throwIfAborted();
    providers.log.warn('The answer to a challenge could not be removed from its zone yet', {
      ...{ certificateId, connectionId, error: String(error) },
    });
    const waitMs = Math.min(TRY_AGAIN_FIRST_MS * 2 ** (failures ?? 0), TRY_AGAIN_MAX_MS);
    const neededUntil = new Date(providers.now().getTime() + waitMs);
    await ChallengeRecordModel.updateMany(own, { $set: { neededUntil }, $inc: { failures: 1 } });
  }
}

/** The schema leaves the field free; only `saveChallengeRecords` writes it. */
function storedZone(zone: unknown): DnsZone {
  return zone as DnsZone;
}
