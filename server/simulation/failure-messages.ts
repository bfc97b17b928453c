import { lostText } from '../../routers/schemas/state-names.ts';
import type { Cast } from './cast.ts';
import type { CheckFailure } from './check-failures.ts';
import type { DomainFailure } from './domain-failures.ts';
import { playDomain } from './play-domain.ts';
import { playChecks } from './play-report.ts';

/** Returns the sentence that a person reads at the end of this failure; the domain is played to find it. */
export async function messageOf(cast: Cast, failure: DomainFailure): Promise<string> {
  if (failure.isLost === true) return `${lostText()}.`;
  if (failure.answer !== undefined) return failure.answer.text;
  const last = (await playDomain(cast, failure)).at(-1);
  return (failure.step === 'certificate' ? last?.certificate : last?.domain)?.problem?.message ?? '';
}

/** Returns the sentence of the check that fails in this way. */
export async function findingOf(cast: Cast, failure: CheckFailure): Promise<string> {
  const looks = await playChecks(cast, failure);
  return looks.at(-1)?.checks.find(({ id }) => id === failure.check)?.seen ?? '';
}
