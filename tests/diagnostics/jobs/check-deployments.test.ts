import { expect, test } from 'vitest';
import { MAINTENANCE } from '../../../server/database/models/account-scope.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { DeploymentHealthModel } from '../../../server/database/models/publishing/deployment-health.ts';
import { newId, transaction } from '../../../server/database/mongo.ts';
import { enqueueDueHealthChecks } from '../../../server/diagnostics/health.ts';
import { HOUR_MS, MINUTE_MS } from '../../../server/lib/durations.ts';

const now = new Date('2026-11-25T12:00:00Z');
const look = (at = now) =>
  enqueueDueHealthChecks(at, new AbortController().signal, (work) => transaction((session) => work(session)));

test('what is due is looked at once, the longest due first, and is due again where that look is lost', async () => {
  const rows = [10, 30, -5].map((dueMinutes, index) => ({
    ...{ _id: newId(), accountId: `account ${index}`, checks: [], changedAt: now },
    nextCheckAt: new Date(now.getTime() - dueMinutes * MINUTE_MS),
  }));
  await DeploymentHealthModel.insertMany(rows);
  const [later, first, notYet] = rows.map(({ _id }) => _id);

  expect(await look()).toBe(2);
  expect(await look()).toBe(0);
  const jobs = await JobModel.find({ name: 'check-deployment', status: 'queued' })
    .setOptions({ acrossAccounts: 'jobs' })
    .sort({ _id: 1 });
  expect(jobs.map(({ payload }) => payload.deploymentId).sort()).toEqual([later, first].sort());
  expect(jobs.map(({ payload }) => payload.deploymentId)).not.toContain(notYet);

  // Its job waits still: another one is not written.
  expect(await look(new Date(now.getTime() + 2 * HOUR_MS))).toBe(3);
  const waiting = JobModel.countDocuments({ name: 'check-deployment', status: 'queued' }).setOptions({
    acrossAccounts: 'jobs',
  });
  expect(await waiting).toBe(3);
  await DeploymentHealthModel.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }).setOptions(MAINTENANCE);
});
