import { expect, test } from 'vitest';
import { EventModel } from '../../../server/database/models/event.ts';
import type { Person } from '../../support/app.ts';
import { corruptedFilesOf, startCorruptible, untilMarked, updatesOf } from '../../support/corruptible-store.ts';
import { contextOf, publish, sendSite, sha256Of } from '../../support/publishing.ts';

const noticesOf = async (person: Person) =>
  (await EventModel.find({ accountId: person.user.id, seq: { $gt: 0 } })).filter(
    (event) => event.payload.title === 'Files are damaged',
  );

test('an artifact that is found corrupted marks the releases it affects, tells their owners once, and is sent again', async () => {
  await using running = await startCorruptible();
  const { app, store } = running;
  const [one, other, third] = [await app.trialPerson(), await app.trialPerson(), await app.trialPerson()];
  const shared = 'shared by two';
  const deployment = await one.caller.deployments.create({ name: 'Affected', platform: 'built-in' });
  const first = await publish(app, one, deployment, { 'index.html': '1', 'a.css': shared });
  const second = await publish(app, one, deployment, { 'index.html': '2', 'b.css': shared, 'c.css': shared });
  const theirs = await other.caller.deployments.create({ name: 'Theirs', platform: 'built-in' });
  const affected = await publish(app, other, theirs, { 'index.html': '3', 'a.css': shared });
  const apart = await third.caller.deployments.create({ name: 'Apart', platform: 'built-in' });
  const sound = await publish(app, third, apart, { 'index.html': '4' });

  await running.corrupt(shared);
  expect(await store.verify(sha256Of(shared))).toBe(false);
  await untilMarked(app, other, affected.id);

  expect(await corruptedFilesOf(one, first.id)).toEqual(['a.css']);
  expect(await corruptedFilesOf(one, second.id)).toEqual(['b.css', 'c.css']);
  expect(await corruptedFilesOf(other, affected.id)).toEqual(['a.css']);
  expect(await corruptedFilesOf(third, sound.id)).toEqual([]);
  expect((await noticesOf(one)).map((event) => event.payload.message)).toEqual([
    'Affected, releases 1 and 2: a.css and 2 more can no longer be read and are not served. Publish the same files again.',
  ]);
  expect([(await noticesOf(other)).length, (await noticesOf(third)).length]).toEqual([1, 0]);

  const { uploadId } = await one.caller.releases.prepare({ deploymentId: deployment.id });
  const told = await updatesOf(other, theirs.id);
  const answer = await sendSite(await contextOf(app, one), uploadId, { 'index.html': '2', 'b.css': shared });
  expect(answer.missing).toEqual([sha256Of(shared)]);
  // Nothing was published yet: it is the bytes that heal, for everybody who has them.
  expect([await corruptedFilesOf(one, first.id), await corruptedFilesOf(one, second.id)]).toEqual([[], []]);
  expect(await corruptedFilesOf(other, affected.id)).toEqual([]);
  expect(await updatesOf(other, theirs.id)).toBe(told + 1);
  await one.caller.releases.create({ deploymentId: deployment.id, uploadId });
  await app.jobs.drain();
  expect((await app.visit('affected', '/b.css')).text).toBe(shared);
  expect((await noticesOf(one)).length).toBe(1);
});
