import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../lib/log.ts';

const RETRY_MS = 1_000;

export type ReadLoop = {
  /** Resolves after a round that began later than this call. */
  refresh(what: 'all' | readonly string[]): Promise<void>;
  /** True after the last reading failed, when another one would only wait. */
  isBehind(): boolean;
  stop(): void;
};

type Reads = { readAll(): Promise<void>; readSome(ids: readonly string[]): Promise<void> };

/** Creates the one loop that reads a collection. Requests that come while it reads are read in its next round. */
export function createReadLoop(log: Log, { readAll, readSome }: Reads): ReadLoop {
  const stopped = new AbortController();
  let dirty = new Set<string>();
  let isAllDirty = false;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let isRetrying = false;
  let hasFailed = false;

  async function readRound(): Promise<void> {
    const all = isAllDirty;
    const ids = [...dirty];
    isAllDirty = false;
    dirty = new Set();
    try {
      if (all) await readAll();
      else await readSome(ids);
      hasFailed = false;
    } catch (error) {
      hasFailed = true;
      isAllDirty = true;
      void retryLater();
      log.warn('The host cannot read the database; it serves what it knows', { error: String(error) });
    }
  }

  async function retryLater(): Promise<void> {
    if (isRetrying) return;
    isRetrying = true;
    await delay(RETRY_MS, null, { signal: stopped.signal, ref: false }).catch(() => null);
    isRetrying = false;
    if (!stopped.signal.aborted) void refresh([]);
  }

  function refresh(what: 'all' | readonly string[]): Promise<void> {
    if (stopped.signal.aborted) return Promise.resolve();
    if (what === 'all') isAllDirty = true;
    else for (const id of what) dirty.add(id);
    next ??= running.then(() => {
      running = next ?? running;
      next = null;
      return readRound();
    });
    return next;
  }

  return { refresh, isBehind: () => hasFailed, stop: () => stopped.abort() };
}
