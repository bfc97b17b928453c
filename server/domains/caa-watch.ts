import type { Providers } from '../context.ts';
import { type DomainRow, namesOf } from '../database/models/domains/domain.ts';
import { type CaaQuestion, caaText, judgeCaa } from '../dns/caa.ts';
import { isWithin } from '../dns/zone-names.ts';
import { knownAccountUrl } from './certificates/account.ts';
import { PERSISTENT } from './certificates/authority/persistent-record.ts';
import { type CertifiedDomain, namesToCover } from './certificates/ensure.ts';
import type { Problem } from './records/name-server-problem.ts';
import type { DomainTarget } from './records/required-records.ts';

const ASK_MS = 8_000;

/**
 * Returns each authority that will sign for the names of a domain there, as a question to CAA records: at our own
 * host, the authority of this Fairlead; at a platform, all of its own. Empty when no names of it are known; undefined
 * when it could not be asked for them.
 */
export async function signingAuthorities(
  { authority }: Pick<Providers, 'authority'>,
  { isServedHere, issuers }: DomainTarget,
  signal: AbortSignal,
): Promise<CaaQuestion[] | undefined> {
  if (!isServedHere) return issuers.map((issuer) => ({ identities: [issuer], isWildcard: false }));
  if (!authority.isPublic) return [];
  const [identities, accountUrl] = await Promise.all([
    authority.caaIdentities(signal).catch(() => undefined),
    knownAccountUrl(authority.id),
  ]);
  if (identities === undefined) return undefined;
  if (identities.length === 0) return [];
  return [{ identities, accountUrl, methods: ['http-01', 'dns-01', PERSISTENT], isWildcard: false }];
}

type Watched = CertifiedDomain & Pick<DomainRow, 'name' | 'counterpart' | 'servedName' | 'isForbiddenByCaa'>;

/**
 * Returns the reason why CAA records of a domain exclude an authority that will sign for it: the first order or the
 * next renewal would be refused. Null when they do not; undefined when they could not be read. Wildcards, for which the
 * records may name other authorities, are not judged.
 */
export async function findForbiddingCaa(
  { authority, dns }: Pick<Providers, 'authority' | 'dns'>,
  domain: Watched,
  target: DomainTarget,
  signal: AbortSignal,
): Promise<Problem | null | undefined> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
  const questions = await signingAuthorities({ authority }, target, within);
  signal.throwIfAborted();
  if (questions?.length === 0) return null;
  const { servedName, pointedNames } = domain;
  const ordered = target.isServedHere ? [servedName, ...namesToCover({ authority }, domain)] : namesOf(domain);
  const read = async (name: string) => ({ name, set: await dns.caaOf(name, within).catch(() => undefined) });
  const found = questions === undefined ? [] : await Promise.all([...new Set(ordered)].map(read));
  signal.throwIfAborted();
  for (const { name, set } of found) {
    // The set of an alias's target decides only while the name leads there, which records to be set will end.
    if (!set || !(isWithin(name, set.name) || pointedNames.includes(name))) continue;
    const problem = problemIn(set, questions ?? []);
    if (problem !== null) return problem;
  }
  if (questions !== undefined && found.every(({ set }) => set !== undefined)) return null;
  const isServedRead = found.some(({ name, set }) => name === servedName && set !== undefined);
  // What cannot be read is as it was, except for an active domain: no answer is no second one that forbids.
  if (isServedRead || !domain.isForbiddenByCaa || domain.state === 'active') return undefined;
  const message = `The CAA records of ${servedName} forbade certificates when last read, and cannot be read now.`;
  return { code: 'caa_forbids', message, hint: 'Fairlead reads them again automatically.' };
}

function problemIn({ name, values }: { name: string; values: string[] }, questions: readonly CaaQuestion[]) {
  for (const question of questions) {
    const refusal = judgeCaa(values, question);
    if (refusal === null) continue;
    const [issuer = ''] = question.identities;
    const hint = refusal.add === null ? 'Remove it.' : `Add a CAA record with ${refusal.add} at ${name}.`;
    return { code: 'caa_forbids', message: caaText(refusal, name, issuer), hint };
  }
  return null;
}
