import { findReleaseWithoutTwins, makeTwins, saveTwins } from '../services/releases/twins.ts';
import type { JobHandler } from './handler.ts';

/** Compresses the text files of a live release, so that no request ever has to. Until it ends they are served as they are. */
export const compressReleaseJob: JobHandler<'compress-release'> = {
  async run(job) {
    const release = await findReleaseWithoutTwins(job.accountId, job.payload.releaseId);
    if (release === null) return;
    const made = await makeTwins(job.providers.store, release, job.signal);
    await job.transaction((session) => saveTwins(session, release, made));
    job.providers.log.debug('A release was compressed', { releaseId: release._id, made: made.madeCount });
  },
};
