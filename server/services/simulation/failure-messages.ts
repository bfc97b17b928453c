import type { Cast } from './cast.ts';
import type { CheckFailure } from './check-failures.ts';
import type { DomainFailure } from './domain-failures.ts';
import { playDomain } from './play-domain.ts';
import { playChecks } from './play-report.ts';

/** Returns what a person reads at the end of a domain that goes wrong so: it is played to know. */
export async function messageOf(cast: Cast, failure: DomainFailure): Promise<string> {
  if (failure.isLost === true) return 'Another account has proved this domain.';
  if (failure.answer !== undefined) return failure.answer.text;
  const last = (await playDomain(cast, failure)).at(-1);
  return (failure.step === 'certificate' ? last?.certificate : last?.domain)?.problem?.message ?? '';
}

/** Returns what the check says that fails so. */
export async function findingOf(cast: Cast, failure: CheckFailure): Promise<string> {
  const looks = await playChecks(cast, failure);
  return looks.at(-1)?.checks.find(({ id }) => id === failure.check)?.seen ?? '';
}
