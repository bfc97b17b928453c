import { AppError } from '../errors.ts';
import { inTime } from './in-time.ts';

/** Names that nobody has can be asked for without end: this many are looked up at once, the rest come again. */
const LOOKUPS_MAX = 64;
/**
 * So many of them for one group, that is for one visitor or one site, and a second one only while more than half are free:
 * a few who flood us hold up nobody else.
 */
const OF_GROUP_MAX = 8;

export type SingleFlight<T> = { once(key: string, group: string, look: () => Promise<T>): Promise<T> };

/** One lookup a key at a time, shared by all who ask. Throws `database_unavailable` or `overloaded`. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const pending = new Map<string, { group: string; started: Promise<T> }>();
  const countOf = (group: string): number => [...pending.values()].filter((one) => one.group === group).length;
  return {
    once(key, group, look) {
      const known = pending.get(key);
      if (known !== undefined) return known.started;
      const ofGroup = countOf(group);
      const places = ofGroup === 0 ? LOOKUPS_MAX : LOOKUPS_MAX / 2;
      if (pending.size >= places || ofGroup >= OF_GROUP_MAX) {
        return Promise.reject(
          new AppError('overloaded', 'Too many names are being looked up at once.', { retryAfterMs: 2_000 }),
        );
      }
      const started = inTime(look()).finally(() => pending.delete(key));
      pending.set(key, { group, started });
      return started;
    },
  };
}

export type QueuedFlight<T> = { once(key: string, look: () => Promise<T>): Promise<T> };

/**
 * The same for what is known to be there, and so cannot be asked for without end: whoever finds all places taken waits for
 * one. Throws `database_unavailable`.
 */
export function createQueuedFlight<T>(): QueuedFlight<T> {
  const pending = new Map<string, Promise<T>>();
  const waiting = new Set<() => void>();
  let running = 0;

  function begin(): Promise<void> {
    if (running < LOOKUPS_MAX) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.add(resolve));
  }

  /** The place goes to whoever waits next, so that `running` stays as it is. */
  function end(): void {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    once(key, look) {
      const known = pending.get(key);
      if (known !== undefined) return known;
      const started = begin()
        .then(() => inTime(look()).finally(end))
        .finally(() => pending.delete(key));
      pending.set(key, started);
      return started;
    },
  };
}
