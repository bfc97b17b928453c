import type { JobHandler } from '../queue/handler.ts';
import { reportCorruption } from '../services/corruption.ts';

/** Finds the releases that a corrupted artifact affects. What was marked before is not told again. */
export const reportCorruptionJob: JobHandler<'report-corruption'> = {
  run: (job) => reportCorruption(job, job.payload.sha256),
};
