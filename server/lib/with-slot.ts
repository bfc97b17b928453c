import type { RateCounters, SlotLimit } from './rate-counters.ts';

/**
 * Does work in one of the slots under this key, which is given back however the work ends. Throws what `full` makes when
 * there is none.
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

/** As `withSlot`, with one slot after the other: whoever waits for its own takes no place in the queue of all. */
export function withSlots<T>(
  rateCounters: Pick<RateCounters, 'takeSlot'>,
  slots: readonly (SlotLimit & { key: string })[],
  full: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  const inSlots = slots.reduceRight((inner, slot) => () => withSlot(rateCounters, { ...slot, full }, inner), work);
  return inSlots();
}
