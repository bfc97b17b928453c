import mongoose from 'mongoose';
import { expect, test, vi } from 'vitest';
import type { ReleaseStepName } from '../../routers/schemas/states.ts';
import {
  PublicationModel,
  publicationId,
  STEP_LOG_LINES,
} from '../../server/database/models/publishing/publication.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { claimJob } from '../../server/queue/claim.ts';
import type { RunningJob } from '../../server/queue/handler.ts';
import { enqueueJob, fencedTransaction } from '../../server/queue/queue.ts';
import { runStep } from '../../server/queue/steps.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

/** The error of a transaction that met another one. */
const metAnother = (): Error =>
  new mongoose.mongo.MongoServerError({ code: 112, errorLabels: ['TransientTransactionError'] });

/** A queued release with its rows, and the running job that works on it. */
async function createRun(app: TestApp) {
  const accountId = newId();
  const deploymentId = newId();
  const release = await ReleaseModel.create({
    _id: newId(),
    accountId,
    deploymentId,
    number: 1,
    source: 'folder',
    createdBy: 'test',
    manifestHash: 'x',
    fileCount: 1,
    totalBytes: 1,
    changedFiles: 1,
  });
  const destinationId = newId();
  const ids = { accountId, deploymentId, releaseId: release._id, destinationId };
  const _id = publicationId(ids);
  const published = await PublicationModel.create({ ...ids, _id, platform: 'built-in', state: 'publishing' });
  const payload = { releaseId: release._id, destinationId };
  await transaction((session) => enqueueJob(session, { name: 'publish', payload, accountId, key: deploymentId }));
  const claimed = await claimJob('tester', ['publish']);
  if (claimed === null) throw new Error('Nothing was claimed.');
  let writes = 0;
  const job: RunningJob<'publish'> = {
    ...claimed,
    name: 'publish',
    payload,
    waits: { of: null, count: 0 },
    isAside: false,
    signal: new AbortController().signal,
    providers: app.providers,
    transaction: (work) => {
      writes += 1;
      return fencedTransaction(claimed, work);
    },
  };
  return {
    job,
    of: { release, published, isPrimary: true },
    elsewhere: { release, published, isPrimary: false },
    published: { _id, accountId },
    release,
    writes: () => writes,
    row: async (name: ReleaseStepName) => (await PublicationModel.findOne({ _id, accountId }).orFail()).steps[name],
    state: async () => (await ReleaseModel.findOne({ _id: release._id, accountId }).orFail()).state,
  };
}

test('a step writes its row and the state of the release together, and ends with its last progress', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  await runStep(run.job, run.of, 'preparing', async (step) => {
    expect(await run.state()).toBe('preparing');
    expect((await run.row('preparing')).state).toBe('running');
    step.progress({ done: 1, total: 2 });
    step.log('halfway');
    step.progress({ done: 2 });
  });
  const row = await run.row('preparing');
  expect(row).toMatchObject({ state: 'done', done: 2, total: 2, logCount: 1 });
  expect(row.log.map((line) => line.text)).toEqual(['halfway']);
  expect(row.endedAt).toBeInstanceOf(Date);
});

test('a step that is done is skipped', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  await runStep(run.job, run.of, 'preparing', async () => undefined);
  let runs = 0;
  await runStep(run.job, run.of, 'preparing', async () => {
    runs += 1;
  });
  expect(runs).toBe(0);
});

test('a step that broke off is run again and keeps its start and its log', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  const broken = runStep(run.job, run.of, 'preparing', async (step) => {
    step.log('first try');
    throw new Error('broke off');
  });
  await expect(broken).rejects.toThrow('broke off');
  const before = await run.row('preparing');
  expect(before).toMatchObject({ state: 'running', logCount: 1 });
  await runStep(run.job, run.of, 'preparing', async (step) => step.log('second try'));
  const after = await run.row('preparing');
  expect(after.startedAt).toEqual(before.startedAt);
  expect(after.log.map((line) => line.text)).toEqual(['first try', 'Continued after an interruption', 'second try']);
});

test('progress is written at most four times a second, however often it is told', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await runStep(run.job, run.of, 'preparing', async (step) => {
    for (let done = 1; done <= 60; done += 1) {
      step.progress({ done, total: 60 });
      await vi.advanceTimersByTimeAsync(10);
    }
  }).finally(() => vi.useRealTimers());
  // One write begins the step, one ends it, and in between there are two in 600 ms.
  expect(run.writes()).toBe(4);
  expect((await run.row('preparing')).done).toBe(60);
});

test('a step that is over within that time writes its progress with its end', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  await runStep(run.job, run.of, 'preparing', async (step) => step.progress({ done: 1, total: 1 }));
  expect(run.writes()).toBe(2);
});

test('what a step has led to is written with its end, once more when that has to run again, and not when it broke off', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  const url = 'https://harbour-cafe.example';
  const broken = runStep(run.job, run.of, 'preparing', async (step) => {
    step.atEnd(
      async (session) => void (await PublicationModel.updateOne(run.published, { $set: { url } }, { session })),
    );
    throw new Error('broke off');
  });
  await expect(broken).rejects.toThrow('broke off');
  expect((await PublicationModel.findOne(run.published).orFail()).url).toBeNull();
  let tries = 0;
  await runStep(run.job, run.of, 'preparing', async (step) => {
    step.log('sent');
    step.atEnd(async (session) => {
      tries += 1;
      await PublicationModel.updateOne(run.published, { $set: { url } }, { session });
      if (tries === 1) throw metAnother();
    });
  });
  expect(tries).toBe(2);
  const { url: written, steps } = await PublicationModel.findOne(run.published).orFail();
  expect(written).toBe(url);
  expect(steps.preparing).toMatchObject({ state: 'done' });
  expect(steps.preparing.log.map(({ text }) => text)).toContain('sent');
});

test('the log of a step keeps its newest lines and counts them all', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  await runStep(run.job, run.of, 'preparing', async (step) => {
    for (let line = 1; line <= STEP_LOG_LINES + 20; line += 1) step.log(`line ${line}`);
  });
  const row = await run.row('preparing');
  expect(row.log).toHaveLength(STEP_LOG_LINES);
  expect(row.log.at(-1)?.text).toBe(`line ${STEP_LOG_LINES + 20}`);
});

test('a release that was cancelled meanwhile begins no further step', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  await runStep(run.job, run.of, 'preparing', async () => undefined);
  await ReleaseModel.updateOne(
    { _id: run.release._id, accountId: run.job.accountId },
    { $set: { state: 'cancelled' } },
  );
  await expect(runStep(run.job, run.of, 'uploading', async () => undefined)).rejects.toMatchObject({
    code: 'state_changed',
  });
  expect((await run.row('uploading')).state).toBe('waiting');
});

test('elsewhere than at the primary destination a step leaves the release as it is, and begins while it is wanted', async () => {
  await using app = await createTestApp();
  const run = await createRun(app);
  await runStep(run.job, run.elsewhere, 'uploading', async (step) => step.log('sent'));
  expect(await run.state()).toBe('queued');
  expect(await run.row('uploading')).toMatchObject({ state: 'done', log: [{ text: 'sent' }] });
  await PublicationModel.updateOne(run.published, { $set: { state: 'idle' } });
  const over = runStep(run.job, run.elsewhere, 'processing', async () => undefined);
  await expect(over).rejects.toMatchObject({ code: 'state_changed' });
});
