import type { DomainRow } from '../../database/models/domain.ts';
import { MINUTE_MS } from '../../lib/durations.ts';
import type { DnsAnswers } from './dns-answers.ts';
import { noAnswerProblem, type Problem } from './name-server-problem.ts';

/**
 * What is wrong with a domain that is active (pure). One sight of it may be a bad minute of a name server, so that nothing
 * follows before a second one, at least this much later.
 */
const CONFIRMED_AFTER_MS = MINUTE_MS;

/** A name server that says nothing may be silent to us alone; these are answers, and nobody finds the domain. */
const DEAD: ReadonlySet<string> = new Set(['zone_missing', 'name_servers_lame', 'name_servers_failing']);
/** Known to the owner, who has begun the move, or of the way from here alone. */
const UNTOLD: ReadonlySet<string> = new Set(['domain_moving', 'lookup_failed', 'platform_down', 'rate_limited']);

export type Concern = NonNullable<DomainRow['concern']>;

/** Whether visitors find the domain nowhere: it is not registered, no name server has it, or its signatures are refused. */
export function isDead(unit: string, answers: DnsAnswers): boolean {
  const unanswered = noAnswerProblem(unit, answers);
  return unanswered === null ? answers.isDnssecBroken : DEAD.has(unanswered.code);
}

/** Returns what is to be kept of the problem of this check, of an active domain; null where nobody needs to be told. */
export function concernOf(
  { unit, concern: before }: Pick<DomainRow, 'unit' | 'concern'>,
  problem: Problem | null,
  answers: DnsAnswers,
  now: Date,
): Concern | null {
  if (problem === null || UNTOLD.has(problem.code)) return null;
  const code = isDead(unit, answers) ? 'dead' : problem.code;
  return before?.code === code ? before : { code, since: now, toldAt: null };
}

/** Whether it was seen before, and long enough ago. */
export function isConfirmed({ since }: Concern, now: Date): boolean {
  return now.getTime() - since.getTime() >= CONFIRMED_AFTER_MS;
}
