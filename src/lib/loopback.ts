import { leadHere } from '../../routers/rules/lead-here.ts';
import type { Domain } from '../../routers/schemas/domains.ts';

/** Returns whether a new domain waits for the operator, whose Fairlead is not public yet. */
export function waitsForHost({ state, records, lostTo }: Pick<Domain, 'state' | 'records' | 'lostTo'>): boolean {
  return (state === 'unverified' || state === 'pending_dns') && lostTo === undefined && leadHere(records);
}

export const LOOPBACK_TITLE = 'This Fairlead can be reached from its own computer only';
