import { readFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';

const EVERY_MS = 10;

/**
 * Watches how long the main thread takes from one turn of its event loop to the next, as `monitorEventLoopDelay` does. The
 * time in which the thread was ready and had no core is left out: that is what else the machine does, and Linux tells it.
 * `read` returns what 99 of 100 turns stayed below and the longest one, in milliseconds, since `reset`.
 */
export function watchLoop() {
  const turns = createHistogram();
  let last = reading();
  setInterval(() => {
    const next = reading();
    turns.record(Math.max(1, Math.round((next.at - last.at) * 1e6 - (next.waitedNs - last.waitedNs))));
    last = next;
  }, EVERY_MS).unref();
  return {
    read: () => {
      const [p99Ms, maxMs] = [turns.percentile(99), turns.max].map((ns) => Math.round(ns / 1e6));
      return { p99Ms, maxMs };
    },
    reset: () => {
      turns.reset();
      last = reading();
    },
  };
}

function reading() {
  return { at: performance.now(), waitedNs: waitedNs() };
}

/** Returns how long the main thread waited for a core (kernel.org, "Scheduler Statistics"). */
function waitedNs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]);
  } catch {
    return 0;
  }
}
