import type { Log } from '../log.ts';
import { sentenceOf } from './start-error.ts';

/** Says what was begun and how it is stopped. */
export type Began = (what: string, stop: () => Promise<void>) => void;

export type Undo = {
  began: Began;
  /** Stops everything that was begun, the last first; what begins from now on is stopped at once. */
  stopAll(): Promise<void>;
  readonly isStopping: boolean;
};

/** What undoes the steps of a start. */
export function createUndo(log: Log): Undo {
  const begun: { what: string; stop(): Promise<void> }[] = [];
  let stopping: Promise<void> | undefined;

  const stopLogged = (what: string, stop: () => Promise<void>): Promise<void> =>
    stop().catch((error: unknown) => log.error(`Stopping failed: ${what}`, { error: sentenceOf(error) }));

  async function unwind(): Promise<void> {
    for (let step = begun.pop(); step !== undefined; step = begun.pop()) await stopLogged(step.what, step.stop);
  }

  return {
    began(what, stop) {
      // A stop that came in the middle of the start has emptied the list: what comes up now goes down at once.
      if (stopping !== undefined) void stopLogged(what, stop);
      else begun.push({ what, stop });
    },
    stopAll: () => (stopping ??= unwind()),
    get isStopping() {
      return stopping !== undefined;
    },
  };
}
