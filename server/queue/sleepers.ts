import { randomInt } from 'node:crypto';
import type { Providers } from '../context.ts';
import type { Lane } from './lanes.ts';

/** How the loops of a worker sleep while there is nothing to do, and what wakes them. */
const POLL_SPREAD = 0.2;
/** The look from time to time is soon enough for those that come back later. */
const WAKE_MAX_MS = 60_000;
/** The database gives the time by its own clock, which may be a little behind. */
const WAKE_AFTER_MS = 50;

export type WorkerLane = Lane & {
  names: string[];
  /** Its jobs are those that have stood aside. */
  isAside: boolean;
  /** The account that was served last. */
  after: string;
  claiming: Promise<void>;
  /** Calling these wakes the loops that found nothing to do. */
  sleepers: Set<() => void>;
  /** Somebody was to be woken while nobody slept: the look that was under way may have come too early. */
  isCalled: boolean;
};

/** Has one loop of the lane look for a job. */
export function wakeOne(lane: WorkerLane): void {
  const [sleeper] = lane.sleepers;
  if (sleeper === undefined) lane.isCalled = true;
  else sleeper();
}

/** Whether new jobs of this name are for the lane; those that have stood aside are for the one of them. */
export const takes = ({ names, isAside }: WorkerLane, job: { name: string; isAside: boolean }): boolean =>
  names.includes(job.name) && isAside === job.isAside;

/**
 * Has one loop of its lane look when a job is written, and one of each lane from time to time: to look in vain is some
 * commands of the database. Answers how to end that.
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

/** A job that comes back soon is not left to the next look, which may be as late again. */
export function wakeLater(lane: WorkerLane, ms: number): void {
  if (ms <= WAKE_MAX_MS) setTimeout(() => wakeOne(lane), ms + WAKE_AFTER_MS).unref();
}
