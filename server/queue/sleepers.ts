import { randomInt } from 'node:crypto';
import type { Providers } from '../context.ts';
import type { Lane } from './lanes.ts';

/** The loops of a worker sleep while there is nothing to do; this file wakes them. */
const POLL_SPREAD = 0.2;
/** Jobs that come back later are found by the regular poll. */
const WAKE_MAX_MS = 60_000;
/** The due time is by the database's clock, which may be a little behind. */
const WAKE_AFTER_MS = 50;

export type WorkerLane = Lane & {
  names: string[];
  /** True for a lane whose jobs have stepped aside. */
  isAside: boolean;
  /** The account that was served last. */
  after: string;
  claiming: Promise<void>;
  /** Calling one of these wakes a loop that found nothing to do. */
  sleepers: Set<() => void>;
  /** True when a wake-up came while nobody slept: the poll that was under way may have been too early. */
  isCalled: boolean;
};

/** Wakes one loop of the lane to look for a job. */
export function wakeOne(lane: WorkerLane): void {
  const [sleeper] = lane.sleepers;
  if (sleeper === undefined) lane.isCalled = true;
  else sleeper();
}

/** Returns whether a job belongs to the lane, by its name and by whether it has stepped aside. */
export const takes = ({ names, isAside }: WorkerLane, job: { name: string; isAside: boolean }): boolean =>
  names.includes(job.name) && isAside === job.isAside;

/**
 * Wakes one loop of its lane when a job is written, and one of each lane at intervals, since a look in vain costs
 * several commands of the database. Returns a function that stops this.
 */
export function wakeLanes(changes: Providers['changes'], lanes: readonly WorkerLane[], pollMs: number): () => void {
  const wakeAll = (): void => lanes.forEach(wakeOne);
  const polls = lanes.map((lane) => setInterval(() => wakeOne(lane), spread(pollMs)));
  const unsubscribe = changes.subscribe(['jobs'], {
    onChange({ jobName: name }) {
      if (name !== undefined) lanes.filter((lane) => takes(lane, { name, isAside: false })).forEach(wakeOne);
    },
    onReopened: wakeAll,
  });
  return () => {
    for (const poll of polls) clearInterval(poll);
    unsubscribe();
  };
}

/** Resolves when woken, or at the signal. */
export function sleep(sleepers: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      sleepers.delete(end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    sleepers.add(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

function spread(ms: number): number {
  const range = Math.round(ms * POLL_SPREAD);
  return ms - range + randomInt(0, 2 * range + 1);
}

/** Wakes the lane when a job is due again soon: the next poll could be as late as the job's whole delay. */
export function wakeLater(lane: WorkerLane, ms: number): void {
  if (ms <= WAKE_MAX_MS) setTimeout(() => wakeOne(lane), ms + WAKE_AFTER_MS).unref();
}
