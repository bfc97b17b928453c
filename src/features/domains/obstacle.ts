import type { Domain } from '../../../routers/schemas/domains.ts';

/** Problems beside the records that are changed together with them. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['aaaa_elsewhere', 'caa_forbids']);

/** Returns the problem to solve before the records of a domain are set; null when they are the next step. */
export function obstacleOf({ state, problem }: Pick<Domain, 'state' | 'problem'>): Domain['problem'] {
  const isBeingSetUp = state === 'unverified' || state === 'pending_dns';
  return isBeingSetUp && CONFLICTS.has(problem?.code) ? null : problem;
}
