import type { JobHandler } from '../../queue/handler.ts';
import { reportCorruption } from '../corruption.ts';

/** Finds the releases that a corrupted artifact affects. Releases that were marked before are not reported again. */
export const reportCorruptionJob: JobHandler<'report-corruption'> = {
  run: (job) => reportCorruption(job, job.payload.sha256),
};
