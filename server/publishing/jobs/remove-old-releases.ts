import type { JobHandler } from '../../queue/handler.ts';
import { removeOldReleases } from '../releases/remove-old.ts';

/**
 * Removes releases beyond a deployment's newest once a night, so that an account that publishes every hour is not
 * notified every hour.
 */
export const removeOldReleasesJob: JobHandler<'remove-old-releases'> = {
  run: (job) => removeOldReleases(job.providers.now(), job.signal, (work) => job.transaction(work)),
};
