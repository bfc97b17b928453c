import type { DomainRow } from '../../database/models/domains/domain.ts';
import { MINUTE_MS } from '../../lib/durations.ts';
import type { DnsAnswers } from './dns-answers.ts';
import { noAnswerProblem, type Problem } from './name-server-problem.ts';
import { NAME_ELSEWHERE } from './problem.ts';

/**
 * Judges problems of an active domain (pure). A single occurrence may be a bad minute of a name server, so nothing
 * follows before a second one, at least this much later.
 */
const CONFIRMED_AFTER_MS = MINUTE_MS;

/** Silence of a name server may concern us alone; these are answers, and nobody can find the domain. */
const DEAD: ReadonlySet<string> = new Set(['zone_missing', 'name_servers_lame', 'name_servers_failing']);
/** The owner has begun the move and knows, only the way from here fails, or the name has never led here. */
const UNTOLD: ReadonlySet<string> = new Set([
  ...['domain_moving', 'lookup_failed', 'platform_down', 'rate_limited', 'doubled_name', NAME_ELSEWHERE],
]);

export type Concern = NonNullable<DomainRow['concern']>;

/**
 * Returns whether visitors cannot find the domain anywhere: it is not registered, no name server has it, or its
 * signatures are refused.
 */
export function isDead(unit: string, answers: DnsAnswers): boolean {
  const unanswered = noAnswerProblem(unit, answers);
  return unanswered === null ? answers.isDnssecBroken : DEAD.has(unanswered.code);
}

/** Returns the concern to store for an active domain with this problem; null when nobody needs to be notified. */
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

/** Returns whether it was seen before, and long enough ago. */
export function isConfirmed({ since }: Concern, now: Date): boolean {
  return now.getTime() - since.getTime() >= CONFIRMED_AFTER_MS;
}
