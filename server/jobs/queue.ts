import type { ClientSession } from 'mongoose';
import { JobModel } from '../models/job.ts';
import { newId } from '../mongo.ts';
import { JOB_PAYLOADS, type JobName, type JobPayload } from './payloads.ts';

export type NewJob<Name extends JobName> = {
  name: Name;
  payload: JobPayload<Name>;
  accountId: string;
  /** What must not run twice at once; by default the job itself. */
  key?: string;
  dedupeKey?: string;
  runAt?: Date;
  maxAttempts?: number;
};

/** Writes a job inside the caller's transaction: no job without the change, no change without the job. */
export async function enqueueJob<Name extends JobName>(session: ClientSession, job: NewJob<Name>): Promise<void> {
  const id = newId();
  await JobModel.create(
    [
      {
        _id: id,
        name: job.name,
        payload: JOB_PAYLOADS[job.name].parse(job.payload),
        accountId: job.accountId,
        key: job.key ?? id,
        dedupeKey: job.dedupeKey ?? null,
        status: 'queued',
        runAt: job.runAt ?? new Date(),
        maxAttempts: job.maxAttempts ?? 5,
      },
    ],
    { session },
  );
}
