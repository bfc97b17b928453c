import { awaitsHost } from '../../routers/rules/lead-here.ts';
import type { Domain } from '../../routers/schemas/domains.ts';

/** Returns whether a new domain waits for the operator, whose Fairlead is not public yet. */
export function waitsForHost(domain: Pick<Domain, 'state' | 'records' | 'lostTo'>): boolean {
  return domain.lostTo === undefined && awaitsHost(domain);
}

export const LOOPBACK_TITLE = 'This Fairlead can be reached from its own computer only';
/** Said of such a domain where another one waits for its records. */
export const ON_HOLD = 'On hold until this Fairlead is public.';
