import { JobModel } from '../../server/database/models/job.ts';
import { enqueueDue } from '../../server/queue/recurring.ts';
import type { TestApp } from './app.ts';

/** Lets the time pass, and runs the recurring job of this name that is due by then, and no other recurring one. */
export async function runRecurring(app: Pick<TestApp, 'clock' | 'providers' | 'jobs'>, name: string, ms: number) {
  app.clock.advance(ms);
  // Their ids have a space in them. Those of another test stand for the same time.
  const forget = (by: object) =>
    JobModel.deleteMany({ _id: / /, ...by })
      .setOptions({ acrossAccounts: 'jobs' })
      .comment('test');
  await forget({});
  await enqueueDue(app.providers.now(), 0);
  await forget({ name: { $ne: name } });
  await app.jobs.drain();
}
