import type { JobHandler } from '../queue/handler.ts';
import {
  findReleaseWithoutVariants,
  makeVariants,
  saveVariants,
  sumOfVariantBytes,
} from '../services/releases/variants.ts';

/** Compresses the text files of a live release, so that no request ever has to. Until it ends they are served as they are. */
export const compressReleaseJob: JobHandler<'compress-release'> = {
  async run(job) {
    const release = await findReleaseWithoutVariants(job.accountId, job.payload.releaseId);
    if (release === null) return;
    const { store, limits } = job.providers;
    const remainingBytes = limits.variantBytes - (await sumOfVariantBytes(job.accountId));
    const made = await makeVariants(store, release, { signal: job.signal, remainingBytes });
    await job.transaction((session) => saveVariants(session, release, made));
    job.providers.log.debug('A release was compressed', { releaseId: release._id, made: made.madeCount });
  },
};
