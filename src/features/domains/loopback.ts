import type { Domain } from '../../../routers/schemas/domains.ts';

const LOOPBACK = /^(?:127\.|::1$)/;

/** Returns whether the records lead everybody to their own computer. */
export function leadHere(records: Domain['records']): boolean {
  return records.some(({ purpose, value }) => purpose === 'route' && LOOPBACK.test(value));
}

export const LOOPBACK_TITLE = 'This Fairlead can be reached from its own computer only';
