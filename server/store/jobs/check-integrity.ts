import type { JobHandler } from '../../queue/handler.ts';
import { clearRestored } from '../corruption.ts';
import { neededArtifacts } from '../garbage.ts';

/**
 * Reads everything that releases need once a week and compares the hashes. Without it, the first visitor of a rarely
 * requested file would be the one to find it corrupted. The store itself reports what it finds.
 */
export const checkIntegrityJob: JobHandler<'check-integrity'> = {
  async run(job) {
    const { store, log } = job.providers;
    let corrupted = 0;
    for await (const sha256 of neededArtifacts(job.providers, job.signal)) {
      job.signal.throwIfAborted();
      if (!(await store.verify(sha256))) corrupted += 1;
    }
    await clearRestored(job);
    log.info('All artifacts were read', { corrupted });
  },
};
