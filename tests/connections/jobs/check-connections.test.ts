import { expect, test } from 'vitest';
import { enqueueDueLooks } from '../../../server/connections/watch.ts';
import { MAINTENANCE } from '../../../server/database/models/account-scope.ts';
import { ConnectionModel } from '../../../server/database/models/connection.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { newId, transaction } from '../../../server/database/mongo.ts';
import { DAY_MS, HOUR_MS } from '../../../server/lib/durations.ts';

const now = new Date('2026-11-25T12:00:00Z');

test('a connection that nobody asked after for a day is looked at, once', async () => {
  const rows = [DAY_MS + 1, HOUR_MS].map((ago, index) => ({
    ...{
      _id: newId(),
      accountId: `account ${index}`,
      provider: 'netlify' as const,
      credential: 'sealed',
      identity: 'ada',
    },
    ...{ warnings: [], testedAt: new Date(now.getTime() - ago) },
  }));
  await ConnectionModel.insertMany(rows);
  const look = () =>
    enqueueDueLooks(now, new AbortController().signal, (work) => transaction((session) => work(session)));
  await look();
  await look();
  const jobs = await JobModel.find({ name: 'check-connection', status: 'queued' }).setOptions({
    acrossAccounts: 'jobs',
  });
  const ids = rows.map(({ _id }) => _id);
  expect(jobs.flatMap(({ payload }) => ids.filter((id) => id === payload.connectionId))).toEqual([ids[0]]);
  await ConnectionModel.deleteMany({ _id: { $in: ids } }).setOptions(MAINTENANCE);
});
