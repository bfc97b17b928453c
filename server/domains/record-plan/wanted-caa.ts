import type { Providers } from '../../context.ts';
import { type DomainRow, namesOf } from '../../database/models/domains/domain.ts';
import type { RecordPlanInput } from '../../dns/record-plan/record-sets.ts';
import { isWithin } from '../../dns/zone-names.ts';
import type { DomainRecord } from '../../publishing/platforms/platform.ts';
import { signingAuthorities } from '../caa-watch.ts';
import { knownAccountUrl } from '../certificates/account.ts';
import { type DomainTarget, TTL_S } from '../records/required-records.ts';

/** Equals the time for name servers while a person waits for a plan. */
const ASK_MS = 5_000;

/**
 * Returns the CAA records that the signing authorities would need, for judging a plan
 * (server/dns/record-plan/caa-sets.ts): where there are none, none are added.
 */
export async function wantedCaa(
  providers: Pick<Providers, 'authority'>,
  domain: Pick<DomainRow, 'name' | 'counterpart'>,
  target: DomainTarget,
): Promise<DomainRecord[]> {
  const questions = await signingAuthorities(providers, target, AbortSignal.timeout(ASK_MS));
  const issuers = (questions ?? []).flatMap(({ identities }) => identities.slice(0, 1));
  return namesOf(domain).flatMap((name) =>
    issuers.map((issuer) => ({
      ...{ type: 'CAA', name, value: `0 issue "${issuer}"`, ttl: TTL_S, purpose: 'certificate' },
      ...{ required: false, alternativeGroup: null },
    })),
  );
}

/**
 * Returns the context for judging CAA besides the zone: the records above it, and the account and challenges that a
 * record may be bound to, for our own authority alone.
 */
export async function caaContext(
  { authority, dns }: Pick<Providers, 'authority' | 'dns'>,
  zone: string,
  { isServedHere }: DomainTarget,
): Promise<Pick<RecordPlanInput, 'caa' | 'caaAbove'>> {
  const [accountUrl, found] = await Promise.all([
    knownAccountUrl(authority.id),
    dns.caaOf(zone, AbortSignal.timeout(ASK_MS)).catch(() => null),
  ]);
  // The provider itself returns the records of the zone.
  const caaAbove = found === null || isWithin(found.name, zone) ? null : found;
  // A person who plans has a connection to the zone, so both are possible.
  return { caaAbove, ...(isServedHere && { caa: { accountUrl, methods: ['http-01', 'dns-01'] } }) };
}
