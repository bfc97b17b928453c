import { JobModel } from '../../server/database/models/job.ts';

/** Makes everything due that is queued in this test file's database: no test waits for a clock. */
export async function makeDue(): Promise<void> {
  await JobModel.updateMany({ status: 'queued' }, { $set: { runAt: new Date(0) } }).setOptions({
    acrossAccounts: 'jobs',
  });
}
