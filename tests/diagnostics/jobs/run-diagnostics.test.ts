import { expect, test } from 'vitest';
import { DiagnosticModel } from '../../../server/database/models/diagnostic.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { runDiagnosticsJob } from '../../../server/diagnostics/jobs/run-diagnostics.ts';
import { createTestApp } from '../../support/app.ts';

type GivenUp = Parameters<NonNullable<typeof runDiagnosticsJob.onDeadLetter>>[1];

/** A record of a job that became a dead letter needs only its account and its report here. */
function givenUp(job: Pick<GivenUp, 'accountId' | 'payload'>): GivenUp {
  return job as GivenUp;
}

test('a report that a crash interrupted begins anew, and has each check once', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.trialPerson();
  const { reportId } = await caller.diagnostics.run({ name: 'crashed.test' });
  const key = { _id: reportId, accountId: user.id };
  const half = { id: 'delegation', verdict: 'fail', seen: 'half', why: 'half', fix: null, because: null };
  await DiagnosticModel.updateOne(key, { $set: { cause: 'delegation', checks: [{ ...half, repair: null }] } });

  await app.jobs.drain();
  const { checks, checkCount, state, cause } = await caller.diagnostics.get({ reportId });
  expect([state, cause, checks.length]).toEqual(['done', null, checkCount]);
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checkCount);
});

test('a report whose work was given up has failed, and one that is done stays as it is', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.trialPerson();
  const { reportId } = await caller.diagnostics.run({ name: 'given-up.test' });
  const job = { accountId: user.id, payload: { reportId } };
  const giveUp = () =>
    transaction(async (session) => runDiagnosticsJob.onDeadLetter?.(session, givenUp(job), new Error('given up')));
  await giveUp();
  expect((await caller.diagnostics.get({ reportId })).state).toBe('failed');
  await app.jobs.drain();
  const again = await caller.diagnostics.run({ name: 'given-up.test' });
  expect(again.reportId).not.toBe(reportId);
  await app.jobs.drain();
  expect((await caller.diagnostics.get(again)).state).toBe('done');
});
