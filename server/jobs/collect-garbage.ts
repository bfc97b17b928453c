import { collectGarbage } from '../services/garbage.ts';
import { removeOldReleases } from '../services/releases/remove-old.ts';
import type { JobHandler } from './queue/handler.ts';

/** Takes away what nothing needs any more, and what interrupted writes left behind. Twice is harmless. */
export const collectGarbageJob: JobHandler<'collect-garbage'> = {
  async run(job) {
    await removeOldReleases(job.providers.now(), job.signal, (work) => job.transaction(work));
    const swept = await job.providers.store.sweep();
    await job.providers.zips.sweep();
    const { artifacts, sizeBytes } = await collectGarbage(job.providers, job.signal);
    job.providers.log.info('Garbage was collected', { artifacts, sizeBytes, leftovers: swept });
  },
};
