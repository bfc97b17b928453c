import { readFileSync } from 'node:fs';

/** A child reports at this interval, and the first process checks at this interval whether it did. */
export const ALIVE_EVERY_MS = 1_000;
/** This many intervals are far longer than any step of the work may take, also on a busy machine. */
const SILENT_LOOKS_MAX = 15;

export type Watchdog = {
  /** Notes a message of the child, which proves that its event loop runs. */
  heard(isDebugged: boolean): void;
  stop(): void;
};

/**
 * Calls `onUnresponsive` when the event loop of a child has not run for fifteen checks by this process. Checks are counted
 * instead of time, because there are none while the machine sleeps or this process itself is stopped. A child that a
 * debugger or a signal holds on purpose is not frozen.
 */
export function startWatchdog(pid: number, onUnresponsive: () => void, everyMs = ALIVE_EVERY_MS): Watchdog {
  let silentLooks = 0;
  let isDebugged = false;
  const timer = setInterval(() => {
    silentLooks += 1;
    if (silentLooks <= SILENT_LOOKS_MAX) return;
    silentLooks = 0;
    if (isDebugged || isStopped(pid)) return;
    clearInterval(timer);
    onUnresponsive();
  }, everyMs);

  return {
    heard(isNowDebugged) {
      silentLooks = 0;
      isDebugged = isNowDebugged;
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Returns whether a signal or a tracer has stopped this process (proc_pid_stat(5)). Other systems than Linux cannot
 * tell: there the answer is no.
 */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name comes first, in brackets, and may hold any character.
    return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
