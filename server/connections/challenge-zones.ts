import type { Providers } from '../context.ts';
import { findChallengeName } from '../dns/challenge-name.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { dnsConnections, findHeldZones, type HeldZone, lossOf } from './dns-connections.ts';

/** An account that is already connected may get a zone later. */
const ASK_AGAIN_MS = HOUR_MS;

/** The record for the answer to a DNS-01 challenge: the name `at`, and its zone; null when no connection holds it. */
export type ChallengeTarget = {
  name: string;
  challenge: string;
  at: string;
  held: HeldZone | null;
  /** A sentence about the connection that held it before. */
  loss: string | null;
};

type Wanted = { accountId: string; names: readonly string[] };

/** Returns the records for the answers of these names, each challenge once. Throws the errors of the providers. */
export async function findChallengeTargets(
  providers: Providers,
  { accountId, names }: Wanted,
  signal: AbortSignal,
): Promise<ChallengeTarget[]> {
  const plain = [...new Set(names.map((name) => name.replace(/^\*\./, '')))];
  const led = await providers.dns.withLookups(signal, (lookups) =>
    Promise.all(
      plain.map(async (name) => {
        const challenge = `_acme-challenge.${name}`;
        return { name, challenge, at: await findChallengeName(lookups, challenge) };
      }),
    ),
  );
  const held = await findHeldZones(providers, { accountId, names: led.map(({ at }) => at) }, signal);
  return Promise.all(
    led.map(async (target) => {
      const found = held.get(target.at) ?? null;
      return { ...target, held: found, loss: found === null ? await lossOf(accountId, target.at) : null };
    }),
  );
}

/** Returns the zones of these targets, each with its targets. */
export function zonesOf(targets: readonly ChallengeTarget[]): (HeldZone & { targets: readonly ChallengeTarget[] })[] {
  const keyOf = ({ connection, zone }: HeldZone): string => `${connection._id} ${zone.id}`;
  const zones = new Map(targets.flatMap(({ held }) => (held === null ? [] : [[keyOf(held), held] as const])));
  return [...zones].map(([key, zone]) => ({
    ...zone,
    targets: targets.filter(({ held }) => held !== null && keyOf(held) === key),
  }));
}

/** Explains why no answer can be written for a name whose zone no connection holds. */
export function whyNotHeld({ name, challenge, at, loss }: ChallengeTarget): string {
  if (loss !== null) return loss;
  if (at === challenge)
    return `None of your DNS connections holds ${name}. Connect the provider that keeps its records.`;
  return `A CNAME record points ${challenge} to ${at}, and none of your DNS connections holds ${at}. Connect the provider that does, or delete the CNAME record.`;
}

/**
 * The connection that could prove the names of a domain, by the providers' last answers; null: none of those that were
 * asked.
 */
export type ZoneHolder = { connectionId?: string | null; asked: string[]; askAgainAt: Date };

/**
 * Returns the known holder while it is fresh and the same connections work; otherwise asks. Throws as `askZoneHolder`
 * does.
 */
export async function zoneHolderOf(
  providers: Providers,
  { known, ...wanted }: Wanted & { known: ZoneHolder | null },
  signal: AbortSignal,
): Promise<ZoneHolder> {
  const asked = (await dnsConnections(wanted.accountId)).map(({ _id }) => _id);
  const isSame = known !== null && known.asked.join() === asked.join();
  if (isSame && known.askAgainAt > providers.now()) return known;
  return (await askZoneHolder(providers, wanted, signal)).zoneHolder;
}

/**
 * Asks the providers now; `missing` is the first name whose zone none of them holds. Throws the errors of the
 * providers.
 */
export async function askZoneHolder(
  providers: Providers,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<{ zoneHolder: ZoneHolder; missing: ChallengeTarget | null }> {
  const asked = (await dnsConnections(wanted.accountId)).map(({ _id }) => _id);
  const targets = await findChallengeTargets(providers, wanted, signal);
  const missing = targets.find(({ held }) => held === null) ?? null;
  const connectionId = missing === null ? (targets[0]?.held?.connection._id ?? null) : null;
  const askAgainAt = new Date(providers.now().getTime() + ASK_AGAIN_MS);
  return { zoneHolder: { connectionId, asked, askAgainAt }, missing };
}
