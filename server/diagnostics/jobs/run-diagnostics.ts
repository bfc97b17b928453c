import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { endReport, fillReport } from '../run.ts';

/** Examines a name or a deployment, and fills its report check by check. */
export const runDiagnosticsJob: JobHandler<'run-diagnostics'> = {
  async run(job) {
    const { providers, payload, signal } = job;
    const inTransaction = job.transaction.bind(job);
    await fillReport(jobContext(providers, job), payload.reportId, { signal, inTransaction });
  },

  async onDeadLetter(session, { accountId, payload }) {
    await endReport(session, { _id: payload.reportId, accountId });
  },
};
