import type { Providers } from '../context.ts';
import { type DomainRow, namesOf } from '../database/models/domains/domain.ts';
import { type CaaQuestion, caaText, judgeCaa } from '../dns/caa.ts';
import { knownAccountUrl } from './certificates/account.ts';
import { PERSISTENT } from './certificates/authority/persistent-record.ts';
import type { Problem } from './records/name-server-problem.ts';
import type { DomainTarget } from './records/required-records.ts';

const ASK_MS = 8_000;

/**
 * Returns each authority that will sign for the names of a domain there, as a question to CAA records: at our own
 * host, the authority of this Fairlead; at a platform, all of its own. Empty when the names of the authority are not
 * known.
 */
export async function signingAuthorities(
  { authority }: Pick<Providers, 'authority'>,
  { isServedHere, issuers }: DomainTarget,
  signal: AbortSignal,
): Promise<CaaQuestion[]> {
  if (!isServedHere) return issuers.map((issuer) => ({ identities: [issuer], isWildcard: false }));
  if (!authority.isPublic) return [];
  const [identities, accountUrl] = await Promise.all([
    authority.caaIdentities(signal).catch(() => []),
    knownAccountUrl(authority.id),
  ]);
  if (identities.length === 0) return [];
  return [{ identities, accountUrl, methods: ['http-01', 'dns-01', PERSISTENT], isWildcard: false }];
}

/**
 * Returns the reason why CAA records of a domain exclude an authority that will sign for it: the next renewal would be
 * refused. Null when they do not; undefined when they could not be read or judged.
 */
export async function findForbiddingCaa(
  { authority, dns }: Pick<Providers, 'authority' | 'dns'>,
  domain: Pick<DomainRow, 'name' | 'counterpart'>,
  target: DomainTarget,
  signal: AbortSignal,
): Promise<Problem | null | undefined> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
  const questions = await signingAuthorities({ authority }, target, within);
  signal.throwIfAborted();
  if (questions.length === 0) return undefined;
  const sets = await Promise.all(namesOf(domain).map((name) => dns.caaOf(name, within).catch(() => undefined)));
  signal.throwIfAborted();
  for (const set of sets) {
    for (const question of questions) {
      const refusal = set ? judgeCaa(set.values, question) : null;
      if (!set || refusal === null) continue;
      const [issuer = ''] = question.identities;
      const hint = refusal.add === null ? 'Remove it.' : `Add a CAA record with ${refusal.add} at ${set.name}.`;
      return { code: 'caa_forbids', message: caaText(refusal, set.name, issuer), hint };
    }
  }
  return sets.includes(undefined) ? undefined : null;
}
