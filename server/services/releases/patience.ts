import type { JobWaits } from '../../jobs/queue/handler.ts';
import type { Patience } from '../../platforms/platform.ts';

/** Looked at for a few seconds at once, since many are done by then; after that a worker has better things to do. */
const LOOKING_MS = 5_000;
const COME_BACK_MS = [5_000, 15_000, 30_000] as const;

/** Counts in the waits of a job, so that its next run knows of them. */
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
