import type { RateCounters, SlotLimit } from './rate-counters.ts';

/**
 * Does work in one of the slots under this key; the slot is freed however the work ends. Throws the error of `full`
 * when there is none.
 */
export async function withSlot<T>(
  rateCounters: Pick<RateCounters, 'takeSlot'>,
  { key, full, ...slots }: SlotLimit & { key: string; full: () => Error },
  work: () => Promise<T>,
): Promise<T> {
  const freeSlot = await rateCounters.takeSlot(key, slots);
  if (freeSlot === null) throw full();
  try {
    return await work();
  } finally {
    freeSlot();
  }
}

/**
 * Works like `withSlot`, but takes several slots one after the other: a caller that waits for its own slot takes no
 * place in the common queue.
 */
export function withSlots<T>(
  rateCounters: Pick<RateCounters, 'takeSlot'>,
  slots: readonly (SlotLimit & { key: string })[],
  full: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  const inSlots = slots.reduceRight((inner, slot) => () => withSlot(rateCounters, { ...slot, full }, inner), work);
  return inSlots();
}
