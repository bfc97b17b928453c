import type { Env } from '../env.ts';
import { createHost } from '../host/listener.ts';
import { createHttpServer } from '../http/server.ts';
import { keepRecurring } from '../jobs/recurring.ts';
import { takeOverJobs } from '../jobs/take-over.ts';
import { createWorker } from '../jobs/worker.ts';
import { createReadiness } from '../readiness.ts';
import type { Providers } from '../service-context.ts';
import { listening } from './ports.ts';
import type { Began } from './undo.ts';

export type DoorOptions = {
  env: Env;
  webRoot: string;
  /** What the job worker of this process is called: no other that is alive has the name. */
  worker: string;
  /**
   * The workers whose jobs it takes over, since they are dead: of a run before this one the lock was stale, of a child the
   * first process has seen the end. A child that outlives its killed run by a moment is held off by the fence.
   */
  heirOf: readonly string[];
  /** False before the start of all processes is whole and from the first moment of a stop. */
  isOpen: () => boolean;
  /** Whether this process writes down what the host serves; of several, one does. */
  keepsSnapshot: boolean;
};

/** What every process of an instance runs: change feed → host → worker → HTTP. */
export async function openDoors(providers: Providers, options: DoorOptions, began: Began): Promise<void> {
  const { env, webRoot, isOpen, keepsSnapshot } = options;
  const { host, processes, dataDir } = env;
  await providers.changes.start();
  began('change feed', () => providers.changes.stop());
  const sites = createHost(providers, { port: env.sitesPort, host, dataDir, processes, keepsSnapshot });
  await listening('SITES_PORT', env.sitesPort, env, () => sites.start());
  began('host', () => sites.stop());
  await takeOverJobs(options.heirOf, providers.log);
  const worker = createWorker(providers, { name: options.worker, processes });
  await worker.start();
  let resting: Promise<void> | undefined;
  const restWorker = (): Promise<void> => (resting ??= worker.stop());
  began('worker', restWorker);
  const stopRecurring = keepRecurring(providers.log, () => providers.now());
  began('recurring jobs', stopRecurring);
  const readiness = createReadiness({ store: providers.store, worker, isOpen });
  const http = createHttpServer({ providers, port: env.port, host, webRoot, readiness });
  await listening('PORT', env.port, env, () => http.start());
  began('doors', async () => {
    // Together: the worker claims nothing more from the first moment, and its jobs end while requests do.
    await Promise.all([http.stop(), restWorker()]);
  });
}
