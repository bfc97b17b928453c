import { expect, test, vi } from 'vitest';
import { enqueueDue } from '../../../server/queue/recurring.ts';
import { corruptedFilesOf, startCorruptible, untilMarked, updatesOf } from '../../support/corruptible-store.ts';
import { publish, sha256Of } from '../../support/publishing.ts';

test('the weekly reading takes off the marks of what was stored again by an upload that broke off', async () => {
  await using running = await startCorruptible();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Broken off', platform: 'built-in' });
  const release = await publish(app, person, deployment, { 'index.html': 'broken off', 'a.css': 'gone' });
  for (const text of ['broken off', 'gone']) {
    await running.corrupt(text);
    expect(await store.verify(sha256Of(text))).toBe(false);
  }
  await vi.waitFor(async () => {
    await app.jobs.drain();
    expect(await corruptedFilesOf(person, release.id)).toHaveLength(2);
  });
  await store.writeWhole(Buffer.from('gone'));
  const before = await updatesOf(person, deployment.id);

  await enqueueDue(new Date('2032-01-01'), 0);
  await app.jobs.drain();
  expect(await corruptedFilesOf(person, release.id)).toEqual(['index.html']);
  expect(await updatesOf(person, deployment.id)).toBe(before + 1);
});

test('the weekly reading finds what nobody has asked for, also when the file looks as it did', async () => {
  await using running = await startCorruptible();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Silent', platform: 'built-in' });
  const release = await publish(app, person, deployment, { 'index.html': 'silent corruption' });
  await running.corrupt('silent corruption');
  expect(await store.has(sha256Of('silent corruption'))).toBe(true);

  await enqueueDue(new Date('2031-01-01'), 0);
  await app.jobs.drain();
  await untilMarked(app, person, release.id);

  expect((await person.caller.releases.get({ releaseId: release.id })).corruptedFiles).toEqual(['index.html']);
  expect(await store.has(sha256Of('silent corruption'))).toBe(false);
});
