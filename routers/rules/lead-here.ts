import { isLoopback } from './loopback.ts';

/** Returns whether the records lead everybody to their own computer. */
export function leadHere(records: readonly { purpose: string; value: string }[]): boolean {
  return records.some(({ purpose, value }) => purpose === 'route' && isLoopback(value));
}

/** Returns whether a domain that is being set up cannot be, as nobody else reaches this host yet. */
export function awaitsHost({ state, records }: { state: string; records: Parameters<typeof leadHere>[0] }): boolean {
  return (state === 'unverified' || state === 'pending_dns') && leadHere(records);
}
