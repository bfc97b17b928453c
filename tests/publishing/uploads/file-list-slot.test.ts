import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { ReleaseModel } from '../../../server/database/models/publishing/release.ts';
import { publishEvent } from '../../../server/events/publish.ts';
import { withFileListSlot } from '../../../server/publishing/uploads/file-list-slot.ts';
import { receiveFile, receiveManifest } from '../../../server/publishing/uploads/index.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { holdReading } from '../../support/held-reading.ts';
import { bytesOf, contextOf, manifestOf, sendSite, sha256Of } from '../../support/publishing.ts';

/** One reads, and twenty wait in line. */
const HEARD = 21;
const CALLS = HEARD + 4;

/** Makes the same call many times at once, and answers what became of each. */
async function callAtOnce(app: TestApp, call: () => Promise<unknown>): Promise<{ most: number; outcomes: string[] }> {
  const { store } = app.providers;
  const reading = holdReading(app);
  const outcomes: string[] = [];
  const calls = Array.from({ length: CALLS }, () =>
    call().then(
      () => void outcomes.push('done'),
      (error: { cause: { code: string } }) => void outcomes.push(error.cause.code),
    ),
  );
  await expect.poll(() => outcomes).toEqual(Array.from({ length: CALLS - HEARD }, () => 'rate_limited'));
  reading.letGo();
  await Promise.all(calls);
  app.providers.store = store;
  return { most: reading.most(), outcomes };
}

const countOf = (outcomes: string[], outcome: string): number => outcomes.filter((one) => one === outcome).length;

test('lists of files of releases that are made, and tried again, are read one at a time an account', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Crowded', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  await sendSite(await contextOf(app, person), uploadId, { 'index.html': 'crowded' });

  const made = await callAtOnce(app, () => person.caller.releases.create({ deploymentId, uploadId }));
  // By this a call that is sent again knows that the release was made.
  expect([made.most, countOf(made.outcomes, 'done'), countOf(made.outcomes, 'upload_closed')]).toEqual([
    1,
    1,
    HEARD - 1,
  ]);

  const [release] = (await person.caller.releases.list({ deploymentId })).items;
  const releaseId = release?.id ?? '';
  await person.caller.releases.cancel({ releaseId });
  await app.jobs.drain();
  const before = await ReleaseModel.countDocuments({ accountId: person.user.id, deploymentId });
  const again = await callAtOnce(app, () => person.caller.releases.retry({ releaseId }));
  expect([again.most, countOf(again.outcomes, 'done'), countOf(again.outcomes, 'deployment_busy')]).toEqual([
    1,
    1,
    HEARD - 1,
  ]);
  expect(await ReleaseModel.countDocuments({ accountId: person.user.id, deploymentId })).toBe(before + 1);
});

test('a list that another replaces while calls wait in line is not read, since it has left the store', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const ctx = await contextOf(app, person);
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Replaced', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  await sendSite(ctx, uploadId, { 'index.html': 'first' });
  const { rateCounters } = app.providers;
  let inLine = 0;
  app.providers.rateCounters = {
    ...rateCounters,
    takeSlot(key, slots) {
      if (key.startsWith('lists of files of ')) inLine += 1;
      return rateCounters.takeSlot(key, slots);
    },
  };

  const outcomes = await withFileListSlot(ctx, async () => {
    const calls = Promise.allSettled([
      person.caller.releases.create({ deploymentId, uploadId }),
      person.caller.releases.preview({ uploadId }),
      person.caller.recommendations.rank({ uploadId }),
    ]);
    await expect.poll(() => inLine).toBe(4);
    await sendSite(ctx, uploadId, { 'index.html': 'second' });
    return [calls] as const;
  }).then(([calls]) => calls);
  const changed = { status: 'rejected', reason: { cause: { code: 'upload_closed' } } };
  expect(outcomes).toMatchObject([changed, changed, { status: 'fulfilled' }]);
});

test('a release that waits for another transaction of its account holds no place for lists of files', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const ctx = await contextOf(app, person);
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Waiting', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  await sendSite(ctx, uploadId, { 'index.html': 'waiting' });
  const session = await mongoose.startSession();
  session.startTransaction();
  await publishEvent(session, person.user.id, { type: 'analytics_update', deploymentId });

  const reading = holdReading(app);
  let isMade = false;
  const made = person.caller.releases.create({ deploymentId, uploadId }).then(() => {
    isMade = true;
  });
  await expect.poll(reading.most).toBe(1);
  reading.letGo();
  await withFileListSlot(ctx, async () => expect(isMade).toBe(false));
  await session.abortTransaction();
  await session.endSession();
  await made;
});

test('a file whose list another replaces while it is being read is told so, and nothing of a damage', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const ctx = await contextOf(app, person);
  const { uploadId } = await person.caller.releases.prepare({});
  await receiveManifest(ctx, uploadId, { files: manifestOf({ 'index.html': 'one that is replaced' }) });
  const { store } = app.providers;
  app.providers.store = {
    ...store,
    async readWhole(hash) {
      app.providers.store = store;
      await receiveManifest(ctx, uploadId, { files: manifestOf({ 'index.html': 'the one instead of it' }) });
      return store.readWhole(hash);
    },
  };

  const body = bytesOf('one that is replaced');
  const sent = receiveFile(ctx, uploadId, { sha256: sha256Of('one that is replaced'), body, contentLength: null });
  await expect(sent).rejects.toMatchObject({ code: 'upload_closed' });
});
