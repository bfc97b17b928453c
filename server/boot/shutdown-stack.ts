import type { Log } from '../lib/log.ts';
import { sentenceOf } from '../lib/start-error.ts';

/** Registers how to stop the part that was just started; `what` names it in the log. */
export type OnShutdown = (what: string, stop: () => Promise<void>) => void;

export type ShutdownStack = {
  push: OnShutdown;
  /** Stops everything on the stack, the last part first. A part that is pushed from now on is stopped at once. */
  stopAll(): Promise<void>;
  readonly isStopping: boolean;
};

/** Creates a stack of started parts. An error while one part stops is logged, and the others still stop. */
export function createShutdownStack(log: Log): ShutdownStack {
  const started: { what: string; stop(): Promise<void> }[] = [];
  let stopping: Promise<void> | undefined;

  const stopLogged = (what: string, stop: () => Promise<void>): Promise<void> =>
    stop().catch((error: unknown) => log.error(`Stopping failed: ${what}`, { error: sentenceOf(error) }));

  async function unwind(): Promise<void> {
    for (let step = started.pop(); step !== undefined; step = started.pop()) await stopLogged(step.what, step.stop);
  }

  return {
    push(what, stop) {
      // A stop in the middle of the start has emptied the stack already.
      if (stopping !== undefined) void stopLogged(what, stop);
      else started.push({ what, stop });
    },
    stopAll: () => (stopping ??= unwind()),
    get isStopping() {
      return stopping !== undefined;
    },
  };
}
