import { JobModel } from '../../server/database/models/job.ts';

/** Makes everything due that is queued in this test file's database: no test waits for a clock. */
export async function makeDue(): Promise<void> {
  await JobModel.updateMany({ status: 'queued' }, { $set: { runAt: new Date(0) } }).setOptions({
    acrossAccounts: 'jobs',
  });
}

/** Ends the lease of everything that runs, as of a process that died. */
export async function endLeases(): Promise<void> {
  await JobModel.updateMany({ status: 'running' }, { $set: { leaseUntil: new Date(0) } }).setOptions({
    acrossAccounts: 'jobs',
  });
}
