import { readFileSync } from 'node:fs';

/** How often a child says that it is alive, and how often the first process looks whether it did. */
export const ALIVE_EVERY_MS = 1_000;
/** Far longer than any step of the work may take, also on a busy machine. */
const SILENT_LOOKS_MAX = 15;

export type FrozenWatch = {
  /** The child has said something: its event loop turns. */
  heard(isDebugged: boolean): void;
  stop(): void;
};

/**
 * Calls `onFrozen` when the event loop of a child has not turned for fifteen looks of this process. Looks are counted and
 * not the time: while the machine sleeps or this process itself is stopped there are none. A child that somebody holds on
 * purpose, in a debugger or by a signal, is not frozen.
 */
export function watchForFreeze(pid: number, onFrozen: () => void, everyMs = ALIVE_EVERY_MS): FrozenWatch {
  let silentLooks = 0;
  let isDebugged = false;
  const timer = setInterval(() => {
    silentLooks += 1;
    if (silentLooks <= SILENT_LOOKS_MAX) return;
    silentLooks = 0;
    if (isDebugged || isStopped(pid)) return;
    clearInterval(timer);
    onFrozen();
  }, everyMs);

  return {
    heard(isNowDebugged) {
      silentLooks = 0;
      isDebugged = isNowDebugged;
    },
    stop: () => clearInterval(timer),
  };
}

/** Whether a signal or a tracer has stopped this process (proc_pid_stat(5)); elsewhere than on Linux none is known to be. */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program comes before it, in brackets, and may hold any character.
    return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
