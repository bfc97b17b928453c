import type { Patience } from '../publishing/platforms/platform.ts';
import type { JobWaits } from '../queue/handler.ts';

/** The time for which a run polls at first, since many platforms are done by then. After that the job rests instead. */
const LOOKING_MS = 5_000;
const COME_BACK_MS = [5_000, 15_000, 30_000] as const;

/** Stores its counts in the waits of a job, so that the next run knows them. */
export function createPatience(waits: JobWaits): Patience {
  const countOf = (what: string): number => (waits.of === what ? waits.count : 0);
  return {
    lookingMs: (what) => (countOf(what) === 0 ? LOOKING_MS : 0),
    leave(what) {
      const earlier = countOf(what);
      Object.assign(waits, { of: what, count: earlier + 1 });
      return COME_BACK_MS[earlier] ?? COME_BACK_MS[2];
    },
  };
}

/**
 * The time in all for which a run holds its worker while a platform asks to wait. Beyond it the job rests in the
 * queue, and from then on holds a slot among jobs that wait (queue/lanes.ts).
 */
const HELD_MS = 20_000;
const HELD_AT_FIRST_MS = 2_000;

/** Returns a test whether a run may hold its worker for one more wait. Waits of concurrent requests count as one. */
export function createHolding(isAside: boolean, now = (): number => performance.now()): (ms: number) => boolean {
  const allowedMs = isAside ? HELD_MS : HELD_AT_FIRST_MS;
  let heldMs = 0;
  let until = 0;
  return (ms) => {
    const end = now() + ms;
    const more = Math.max(0, end - Math.max(now(), until));
    if (heldMs + more > allowedMs) return false;
    heldMs += more;
    until = Math.max(until, end);
    return true;
  };
}
