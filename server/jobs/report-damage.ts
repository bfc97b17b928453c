import { reportDamage } from '../services/damage.ts';
import type { JobHandler } from './handler.ts';

/** Finds the releases that a damaged artifact hurts. What was marked before is not told again. */
export const reportDamageJob: JobHandler<'report-damage'> = {
  run: (job) => reportDamage(job, job.payload.sha256),
};
