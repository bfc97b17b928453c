import { expect, test } from 'vitest';
import { BASIC_CHECKS } from '../../routers/schemas/diagnostics.ts';
import { DiagnosticModel } from '../../server/database/models/diagnostic.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { newId } from '../../server/database/mongo.ts';
import { REPORTS_MAX } from '../../server/diagnostics/read.ts';
import { DAY_MS } from '../../server/lib/durations.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

/** Nobody is asked here: the names that are looked at have no name servers that answer. */
async function reportOf(app: TestApp, plan: 'PRO' | 'BASIC' = 'PRO') {
  const person = await app.trialPerson();
  await SubscriptionModel.updateOne({ accountId: person.user.id }, { $set: { plan } });
  const { reportId } = await person.caller.diagnostics.run({ name: 'https://Example.test/page' });
  await app.jobs.drain();
  return { ...person, reportId, report: await person.caller.diagnostics.get({ reportId }) };
}

test('what nobody answers is unknown, and never a failure', async () => {
  await using app = await createTestApp();
  const { report, caller } = await reportOf(app);
  expect(report).toMatchObject({ state: 'done', name: 'example.test', cause: null, isWhole: true });
  expect(report.checks).toHaveLength(report.checkCount);
  expect(new Set(report.checks.map(({ verdict }) => verdict))).toEqual(new Set(['unknown']));
  expect((await caller.diagnostics.list()).items).toMatchObject([{ name: 'example.test', verdict: 'unknown' }]);
  const countOf = async (name: string) => (await caller.diagnostics.list({ name })).items.length;
  expect([await countOf('example.test'), await countOf('www.example.test')]).toEqual([1, 0]);
});

test('a plan with basic diagnostics has the three checks of every plan', async () => {
  await using app = await createTestApp();
  const { report } = await reportOf(app, 'BASIC');
  expect(report.isWhole).toBe(false);
  expect(report.checks.map(({ id }) => id)).toEqual([...BASIC_CHECKS]);
});

test('one that runs is the answer to whoever asks for the same again, and each account has its own', async () => {
  await using app = await createTestApp();
  const [one, other] = [await app.trialPerson(), await app.trialPerson()];
  const run = () => one.caller.diagnostics.run({ name: 'twice.test' });
  const [first, atOnce] = await Promise.all([run(), run()]);
  expect(atOnce).toEqual(first);
  expect(await one.caller.diagnostics.run({ name: 'twice.test' })).toEqual(first);
  expect(await other.caller.diagnostics.run({ name: 'twice.test' })).not.toEqual(first);
  expect(await one.caller.diagnostics.get(first)).toMatchObject({ state: 'running', checks: [], finishedAt: null });
  await app.jobs.drain();
});

test('a link shows a report to a stranger for a week, without ids, and ends when its owner says so', async () => {
  await using app = await createTestApp();
  const { caller, reportId, report } = await reportOf(app);
  const { url, expiresAt } = await caller.diagnostics.share({ reportId });
  const token = url.split('#')[1] ?? '';
  const stranger = app.anonymous();
  const shown = await stranger.diagnostics.shared({ token });
  expect(shown).toMatchObject({ name: 'example.test', state: 'done', sharedUntil: expiresAt });
  expect(JSON.stringify(shown)).not.toContain(report.id);
  expect(shown.checks[0]).not.toHaveProperty('repair');

  const second = (await caller.diagnostics.share({ reportId })).url.split('#')[1] ?? '';
  expect((await refusalOf(stranger.diagnostics.shared({ token }))).code).toBe('not_found');
  app.clock.advance(7 * DAY_MS);
  expect((await refusalOf(stranger.diagnostics.shared({ token: second }))).code).toBe('not_found');
  const third = (await caller.diagnostics.share({ reportId })).url.split('#')[1] ?? '';
  await caller.diagnostics.stopSharing({ reportId });
  expect((await refusalOf(stranger.diagnostics.shared({ token: third }))).code).toBe('not_found');
});

test('while its domain waits for a public host, a deployment is looked at where it answers', async () => {
  await using app = await createTestApp();
  const { caller } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'quay', platform: 'built-in' });
  const { name, unicodeName } = await caller.domains.add({ deploymentId, name: 'b\u00fccher.test' });
  const reportOn = async (subject: { deploymentId: string } | { name: string }) => {
    const { reportId } = await caller.diagnostics.run(subject);
    await app.jobs.drain();
    return caller.diagnostics.get({ reportId });
  };
  expect((await reportOn({ deploymentId })).name).toMatch(/^quay\./);
  expect(await reportOn({ name })).toMatchObject({ name, unicodeName: 'b\u00fccher.test' });
  expect((await caller.diagnostics.list({ name })).items).toMatchObject([{ name, unicodeName }]);
});

test('a report that still runs is not shared', async () => {
  await using app = await createTestApp();
  const { caller } = await app.trialPerson();
  const { reportId } = await caller.diagnostics.run({ name: 'early.test' });
  expect((await refusalOf(caller.diagnostics.share({ reportId }))).code).toBe('state_changed');
  await app.jobs.drain();
});

test('an account keeps so many reports, and the oldest goes', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.trialPerson();
  const row = {
    accountId: user.id,
    subjectKey: 'name old.test',
    name: 'old.test',
    isWhole: true,
    state: 'done' as const,
  };
  const rows = Array.from({ length: REPORTS_MAX }, (_, index) => ({
    ...{ ...row, _id: newId(), checks: [], facts: [], changes: [] },
    startedAt: new Date(index * 1_000),
  }));
  await DiagnosticModel.insertMany(rows);
  const { reportId } = await caller.diagnostics.run({ name: 'new.test' });
  const { items } = await caller.diagnostics.list();
  expect(items).toHaveLength(REPORTS_MAX);
  expect(items[0]?.id).toBe(reportId);
  expect((await refusalOf(caller.diagnostics.get({ reportId: rows[0]?._id ?? '' }))).code).toBe('not_found');
  await app.jobs.drain();
});

test('a report whose deployment is gone has failed', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'gone', platform: 'built-in' });
  const { reportId } = await caller.diagnostics.run({ deploymentId });
  await DiagnosticModel.updateOne({ _id: reportId, accountId: user.id }, { $set: { deploymentId: newId() } });
  await app.jobs.drain();
  expect((await caller.diagnostics.get({ reportId })).state).toBe('failed');
});
