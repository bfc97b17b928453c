import { expect, test } from 'vitest';
import { receiveZip } from '../../server/publishing/uploads/index.ts';
import { encodeManifest } from '../../server/store/manifest.ts';
import { corruptedFilesOf, startCorruptible, untilMarked, updatesOf } from '../support/corruptible-store.ts';
import { bytesOf, contextOf, manifestOf, publish, sendSite, sha256Of } from '../support/publishing.ts';
import { writeZip } from '../support/zip-writer.ts';

test('what marks a release and what heals it are told to the pages that show it', async () => {
  await using running = await startCorruptible();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Shown', platform: 'built-in' });
  const release = await publish(app, person, deployment, { 'index.html': 'shown', 'a.css': 'lost' });
  const before = await updatesOf(person, deployment.id);
  expect((await person.caller.deployments.list())?.items[0]?.currentRelease?.corruptedFileCount).toBe(0);
  await running.corrupt('lost');
  expect(await store.verify(sha256Of('lost'))).toBe(false);
  await untilMarked(app, person, release.id);
  expect(await updatesOf(person, deployment.id)).toBe(before + 1);
  expect((await person.caller.deployments.list())?.items[0]?.currentRelease?.corruptedFileCount).toBe(1);

  const { uploadId } = await person.caller.releases.prepare();
  await receiveZip(await contextOf(app, person), uploadId, {
    body: bytesOf(writeZip([{ name: 'a.css', data: 'lost' }])),
    contentLength: null,
    publishAnyway: [],
    signal: new AbortController().signal,
  });
  expect(await corruptedFilesOf(person, release.id)).toEqual([]);
  expect(await updatesOf(person, deployment.id)).toBe(before + 2);
});

test('a list of files that was lost heals when an upload has the same list', async () => {
  await using running = await startCorruptible();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Listed', platform: 'built-in' });
  const site = { 'index.html': 'listed' };
  const release = await publish(app, person, deployment, site);
  const list = await encodeManifest(new Map(manifestOf(site).map(({ path, ...entry }) => [path, entry])));
  await running.corrupt(list);
  expect(await store.verify(sha256Of(list))).toBe(false);
  await untilMarked(app, person, release.id);

  const { uploadId } = await person.caller.releases.prepare();
  await sendSite(await contextOf(app, person), uploadId, site);
  expect(await corruptedFilesOf(person, release.id)).toEqual([]);
});
