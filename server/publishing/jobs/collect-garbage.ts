import type { JobHandler } from '../../queue/handler.ts';
import { collectGarbage } from '../../store/garbage.ts';
import { recountUnconfirmedBytes } from '../uploads/index.ts';

/** Deletes what nothing needs any more, and what interrupted writes left behind. Running it twice is harmless. */
export const collectGarbageJob: JobHandler<'collect-garbage'> = {
  async run(job) {
    const swept = await job.providers.store.sweep();
    await job.providers.zips.sweep();
    const { artifacts, sizeBytes } = await collectGarbage(job.providers, job.signal);
    await recountUnconfirmedBytes(job.providers, job.signal);
    job.providers.log.info('Garbage was collected', { artifacts, sizeBytes, leftovers: swept });
  },
};
