import { clearHealed } from '../services/damage.ts';
import { neededArtifacts } from '../services/garbage.ts';
import type { JobHandler } from './handler.ts';

/**
 * Reads all that releases need once a week and compares the hashes (security facts, 10.4): what nobody asks for would
 * be found damaged by the first who does. The store itself tells of what it finds.
 */
export const scrubArtifactsJob: JobHandler<'scrub-artifacts'> = {
  async run(job) {
    const { store, log } = job.providers;
    let damaged = 0;
    for (const sha256 of await neededArtifacts(job.providers, job.signal)) {
      job.signal.throwIfAborted();
      if (!(await store.verify(sha256))) damaged += 1;
    }
    await clearHealed(job);
    log.info('All artifacts were read', { damaged });
  },
};
