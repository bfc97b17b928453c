import type { Domain } from '../schemas/domains.ts';
import { isLoopback } from './loopback.ts';

/** Returns whether the records lead everybody to their own computer. */
export function leadHere(records: readonly Pick<Domain['records'][number], 'purpose' | 'value'>[]): boolean {
  return records.some(({ purpose, value }) => purpose === 'route' && isLoopback(value));
}
