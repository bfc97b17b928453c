import type { JobHandler } from '../queue/handler.ts';
import { removeOldReleases } from '../services/releases/remove-old.ts';

/** Removes once a night the releases that are beyond a deployment's newest: who publishes each hour is not told each hour. */
export const removeOldReleasesJob: JobHandler<'remove-old-releases'> = {
  run: (job) => removeOldReleases(job.providers.now(), job.signal, (work) => job.transaction(work)),
};
