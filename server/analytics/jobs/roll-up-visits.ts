import type { JobHandler } from '../../queue/handler.ts';
import { forgetVisitors, rollUpVisits } from '../index.ts';

/** Adds the host's counts up to hours and days. A run that breaks off has counted nothing twice. */
export const rollUpVisitsJob: JobHandler<'roll-up-visits'> = {
  async run(job) {
    const now = job.providers.now();
    await rollUpVisits(now, job.signal, (work) => job.transaction(work));
    await forgetVisitors(now);
  },
};
