import { createStore, useStore } from '../lib/store.ts';

/** Relative times change by the minute; ticking twice a minute is accurate enough. */
const TICK_MS = 30_000;

/** One timer for the whole page, which only runs while a time is shown. */
const now = createStore(Date.now(), () => {
  const tick = () => now.set(Date.now());
  tick();
  const timer = setInterval(tick, TICK_MS);
  return () => clearInterval(timer);
});

/** Returns the current time, renewed twice a minute. */
export function useNow(): Date {
  return new Date(useStore(now));
}
