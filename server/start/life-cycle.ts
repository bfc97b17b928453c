import type { Env } from '../env.ts';
import type { Log } from '../log.ts';
import type { Faults } from '../service-context.ts';
import { createTally } from '../tally.ts';
import { openDoors } from './doors.ts';
import { layFoundation } from './foundation.ts';
import { createUndo } from './undo.ts';

/**
 * The application from the lock on its folder to its open doors, started in order and stopped in reverse:
 *
 *   data folder and lock → database → connection, migrations, indexes → keys and store, checked against the database
 *   → change feed → host → worker → HTTP → ready
 *
 * What was started is stopped again when a later step fails. `stop` may be called at any time, also during the start.
 */
export type LifeCycle = { start(): Promise<void>; stop(): Promise<void> };

export type LifeCycleOptions = {
  env: Env;
  log: Log;
  webRoot: string;
  /** Tests of crashes end the process at a boundary of its work; main.ts has no way to say this. */
  faults?: Faults;
};

/** All of it in this process; in several: process-group/group.ts. */
export function createLifeCycle({ env, log, webRoot, faults }: LifeCycleOptions): LifeCycle {
  const undo = createUndo(log);
  let isOpen = false;

  async function start(): Promise<void> {
    const { providers, run, killedRun } = await layFoundation({ env, log, tally: createTally() }, undo.began);
    const complete = faults === undefined ? providers : { ...providers, faults };
    const heirOf = killedRun === null ? [] : [killedRun];
    const doors = { env, webRoot, worker: run, heirOf, isOpen: () => isOpen, keepsSnapshot: true };
    await openDoors(complete, doors, undo.began);
    isOpen = !undo.isStopping;
  }

  async function stop(): Promise<void> {
    isOpen = false;
    await undo.stopAll();
  }

  return {
    async start() {
      try {
        await start();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}
