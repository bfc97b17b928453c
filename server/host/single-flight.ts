import { AppError } from '../lib/errors.ts';
import type { RateCounters } from '../lib/rate-counters.ts';
import { withSlot } from '../lib/with-slot.ts';
import { databaseUnavailable, inTime } from './in-time.ts';

/**
 * Names that nobody has can be asked for without end, so this many are looked up at once; other visitors have to come
 * again.
 */
const LOOKUPS_MAX = 64;
/**
 * The limit for one group, that is for one visitor or one site. A group gets a second slot only while more than half
 * are free, so that a flood by a few delays nobody else.
 */
const OF_GROUP_MAX = 8;
/** A lookup that finds no free slot waits for one while that is worthwhile: after a start no site is in memory. */
const WAITING_MAX = 1_024;
const OF_GROUP_WAITING_MAX = 64;

export type SingleFlight<T> = { once(key: string, group: string, look: () => Promise<T>): Promise<T> };

/** Runs one lookup for each key at a time, shared by all callers. Throws `database_unavailable` or `overloaded`. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const pending = new Map<string, Promise<T>>();
  const slots = createSlots();
  return {
    once(key, group, look) {
      const known = pending.get(key);
      if (known !== undefined) return known;
      const slot = slots.take(group);
      if (slot === null) {
        return Promise.reject(
          new AppError('overloaded', 'Too many names are being looked up at once.', { retryAfterMs: 2_000 }),
        );
      }
      const started = inTime(slot.begun.then(look)).finally(() => {
        slot.leave();
        pending.delete(key);
      });
      pending.set(key, started);
      return started;
    },
  };
}

type Waiting = { group: string; begin(): void };
type Slot = { begun: Promise<void>; leave(): void };

function createSlots() {
  const running = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let taken = 0;

  const countOf = (group: string): number => running.get(group) ?? 0;
  const isFree = (group: string): boolean =>
    countOf(group) < OF_GROUP_MAX && taken < (countOf(group) === 0 ? LOOKUPS_MAX : LOOKUPS_MAX / 2);

  function enter(group: string): void {
    taken += 1;
    running.set(group, countOf(group) + 1);
  }

  function leave(group: string): void {
    taken -= 1;
    if (countOf(group) === 1) running.delete(group);
    else running.set(group, countOf(group) - 1);
    const able = [...waiting].filter((one) => isFree(one.group));
    const next = able.find((one) => countOf(one.group) === 0) ?? able[0];
    if (next === undefined) return;
    waiting.delete(next);
    enter(next.group);
    next.begin();
  }

  return {
    /** Returns null when too many wait already. */
    take(group: string): Slot | null {
      if (isFree(group)) {
        enter(group);
        return { begun: Promise.resolve(), leave: () => leave(group) };
      }
      const before = [...waiting].filter((one) => one.group === group).length;
      if (waiting.size >= WAITING_MAX || before >= OF_GROUP_WAITING_MAX) return null;
      const { promise: begun, resolve: begin } = withResolvers();
      const one = { group, begin };
      waiting.add(one);
      // A lookup that has waited too long leaves before it got a slot.
      return { begun, leave: () => void (waiting.delete(one) || leave(group)) };
    },
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

export type QueuedFlight<T> = { once(key: string, look: () => Promise<T>): Promise<T> };

/**
 * Likewise runs one lookup for each key, of items that are known to exist and so cannot be asked for without end: a
 * caller that finds all slots taken waits for one. Throws `database_unavailable`.
 */
export function createQueuedFlight<T>(rateCounters: Pick<RateCounters, 'takeSlot'>, what: string): QueuedFlight<T> {
  const pending = new Map<string, Promise<T>>();
  const slots = {
    key: `lookups of ${what}`,
    limit: LOOKUPS_MAX,
    queueLength: Number.POSITIVE_INFINITY,
    full: databaseUnavailable,
  };
  return {
    once(key, look) {
      const known = pending.get(key);
      if (known !== undefined) return known;
      const started = withSlot(rateCounters, slots, () => inTime(look())).finally(() => pending.delete(key));
      pending.set(key, started);
      return started;
    },
  };
}
