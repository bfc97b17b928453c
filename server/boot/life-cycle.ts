import type { Faults, Limits } from '../context.ts';
import type { Log } from '../lib/log.ts';
import { createRateCounters } from '../lib/rate-counters.ts';
import { bootstrap } from './bootstrap.ts';
import type { Env } from './env/env.ts';
import { openDatabase, openOwnFolder } from './ground.ts';
import { startServing } from './serving.ts';
import { createShutdownStack } from './shutdown-stack.ts';

/**
 * The application from the lock on its folder to its listeners, started in order and stopped in reverse:
 *
 * data folder and lock → database → connection, migrations, indexes → keys and store, checked against the database →
 * change feed → host → HTTP → worker → ready
 *
 * When a step fails, the steps before it are undone. `stop` may be called at any time, also during the start.
 */
export type LifeCycle = { start(): Promise<void>; stop(): Promise<void> };

export type LifeCycleOptions = {
  env: Env;
  log: Log;
  webRoot: string;
  /** Lets tests of crashes end the process at a boundary of its work; main.ts never sets this. */
  faults?: Faults;
  /** Lets tests that write more than a person may raise the limits. */
  limits?: Partial<Limits>;
};

/** Starts everything in this process; supervisor.ts starts it again when it ends. */
export function createLifeCycle({ env, log, webRoot, faults, limits }: LifeCycleOptions): LifeCycle {
  const shutdown = createShutdownStack(log);
  let isServing = false;

  async function start(): Promise<void> {
    const data = await openOwnFolder(env, log, shutdown.push);
    const uri = await openDatabase(env, log, shutdown.push);
    const parts = { env, log, rateCounters: createRateCounters() };
    const providers = await bootstrap({ uri, worker: data.run, isFirst: true }, parts, shutdown.push);
    const complete = {
      ...providers,
      limits: { ...providers.limits, ...limits },
      ...(faults !== undefined && { faults }),
    };
    const serving = { env, webRoot, worker: data.run, takesOverFrom: data.killedRuns, isServing: () => isServing };
    await startServing(complete, serving, shutdown.push);
    data.forgetKilledRuns();
    isServing = !shutdown.isStopping;
  }

  async function stop(): Promise<void> {
    isServing = false;
    await shutdown.stopAll();
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
