import { mkdtemp, open, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createDiskStore } from '../../server/artifacts/disk.ts';
import { encodeManifest } from '../../server/artifacts/manifest.ts';
import { enqueueDue } from '../../server/jobs/recurring.ts';
import { EventModel } from '../../server/models/event.ts';
import { noticeDamage } from '../../server/services/damage.ts';
import { receiveZip } from '../../server/services/uploads/index.ts';
import type { Person } from '../support/app.ts';
import {
  bytesOf,
  contextOf,
  createPublishingApp,
  manifestOf,
  type PublishingApp,
  publish,
  sendSite,
  sha256Of,
} from '../support/publishing.ts';
import { writeZip } from '../support/zip-writer.ts';

const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-damage-'));
  const store = await createDiskStore({ folder, minFreeBytes: 0, onDamage: noticeDamage(LOG) });
  const app = await createPublishingApp({ providers: { store } });
  return {
    app,
    store,
    /** Flips a byte; what the file looks like from outside stays as it was. */
    async corrupt(content: string | Buffer): Promise<void> {
      const sha256 = sha256Of(content);
      const path = join(folder, sha256.charAt(0), sha256);
      const { atime, mtime } = await stat(path);
      const file = await open(path, 'r+');
      await file.write(Buffer.from([(Buffer.from(content)[0] ?? 0) ^ 1]), 0, 1, 0);
      await file.close();
      await utimes(path, atime, mtime);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

const damagedFilesOf = async (person: Person, releaseId: string) =>
  (await person.caller.releases.get({ releaseId })).damagedFiles;

/** The store tells of damage in passing; the job that looks whom it hurts is there a moment later. */
const untilMarked = (app: PublishingApp, person: Person, releaseId: string) =>
  vi.waitFor(
    async () => {
      await app.jobs.drain();
      expect(await damagedFilesOf(person, releaseId)).not.toEqual([]);
    },
    { timeout: 30_000 },
  );

const noticesOf = async (person: Person) =>
  (await EventModel.find({ accountId: person.user.id, seq: { $gt: 0 } })).filter(
    (event) => event.payload.title === 'Files are damaged',
  );

const updatesOf = (person: Person, deploymentId: string): Promise<number> =>
  EventModel.countDocuments({
    accountId: person.user.id,
    type: 'analytics_update',
    'payload.deploymentId': deploymentId,
  });

test('an artifact that is found damaged marks the releases it hurts, tells their owners once, and is sent again', async () => {
  await using running = await start();
  const { app, store } = running;
  const [one, other, third] = [await app.trialPerson(), await app.trialPerson(), await app.trialPerson()];
  const shared = 'shared by two';
  const deployment = await one.caller.deployments.create({ name: 'Hurt', platform: 'built-in' });
  const first = await publish(app, one, deployment, { 'index.html': '1', 'a.css': shared });
  const second = await publish(app, one, deployment, { 'index.html': '2', 'b.css': shared, 'c.css': shared });
  const theirs = await other.caller.deployments.create({ name: 'Theirs', platform: 'built-in' });
  const hurt = await publish(app, other, theirs, { 'index.html': '3', 'a.css': shared });
  const apart = await third.caller.deployments.create({ name: 'Apart', platform: 'built-in' });
  const sound = await publish(app, third, apart, { 'index.html': '4' });

  await running.corrupt(shared);
  expect(await store.verify(sha256Of(shared))).toBe(false);
  await untilMarked(app, other, hurt.id);

  expect(await damagedFilesOf(one, first.id)).toEqual(['a.css']);
  expect(await damagedFilesOf(one, second.id)).toEqual(['b.css', 'c.css']);
  expect(await damagedFilesOf(other, hurt.id)).toEqual(['a.css']);
  expect(await damagedFilesOf(third, sound.id)).toEqual([]);
  expect((await noticesOf(one)).map((event) => event.payload.message)).toEqual([
    'a.css and 2 more of Hurt, releases 1, 2, cannot be read any more and is not served. Publish the same files again.',
  ]);
  expect([(await noticesOf(other)).length, (await noticesOf(third)).length]).toEqual([1, 0]);

  const { uploadId } = await one.caller.releases.prepare({ deploymentId: deployment.id });
  const told = await updatesOf(other, theirs.id);
  const answer = await sendSite(await contextOf(app, one), uploadId, { 'index.html': '2', 'b.css': shared });
  expect(answer.missing).toEqual([sha256Of(shared)]);
  // Nothing was published yet: it is the bytes that heal, for everybody who has them.
  expect([await damagedFilesOf(one, first.id), await damagedFilesOf(one, second.id)]).toEqual([[], []]);
  expect(await damagedFilesOf(other, hurt.id)).toEqual([]);
  expect(await updatesOf(other, theirs.id)).toBe(told + 1);
  await one.caller.releases.create({ deploymentId: deployment.id, uploadId });
  await app.jobs.drain();
  expect((await app.visit('hurt', '/b.css')).text).toBe(shared);
  expect((await noticesOf(one)).length).toBe(1);
});

test('what marks a release and what heals it are told to the pages that show it', async () => {
  await using running = await start();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Shown', platform: 'built-in' });
  const release = await publish(app, person, deployment, { 'index.html': 'shown', 'a.css': 'lost' });
  const before = await updatesOf(person, deployment.id);
  expect((await person.caller.deployments.list())?.items[0]?.currentRelease?.damagedFileCount).toBe(0);
  await running.corrupt('lost');
  expect(await store.verify(sha256Of('lost'))).toBe(false);
  await untilMarked(app, person, release.id);
  expect(await updatesOf(person, deployment.id)).toBe(before + 1);
  expect((await person.caller.deployments.list())?.items[0]?.currentRelease?.damagedFileCount).toBe(1);

  const { uploadId } = await person.caller.releases.prepare();
  await receiveZip(await contextOf(app, person), uploadId, {
    body: bytesOf(writeZip([{ name: 'a.css', data: 'lost' }])),
    contentLength: null,
    publishAnyway: [],
    signal: new AbortController().signal,
  });
  expect(await damagedFilesOf(person, release.id)).toEqual([]);
  expect(await updatesOf(person, deployment.id)).toBe(before + 2);
});

test('a list of files that was lost heals when an upload has the same list', async () => {
  await using running = await start();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Listed', platform: 'built-in' });
  const site = { 'index.html': 'listed' };
  const release = await publish(app, person, deployment, site);
  const list = encodeManifest(new Map(manifestOf(site).map(({ path, ...entry }) => [path, entry])));
  await running.corrupt(list);
  expect(await store.verify(sha256Of(list))).toBe(false);
  await untilMarked(app, person, release.id);

  const { uploadId } = await person.caller.releases.prepare();
  await sendSite(await contextOf(app, person), uploadId, site);
  expect(await damagedFilesOf(person, release.id)).toEqual([]);
});

test('the weekly reading takes off the marks of what was stored again by an upload that broke off', async () => {
  await using running = await start();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Broken off', platform: 'built-in' });
  const release = await publish(app, person, deployment, { 'index.html': 'broken off', 'a.css': 'gone' });
  for (const text of ['broken off', 'gone']) {
    await running.corrupt(text);
    expect(await store.verify(sha256Of(text))).toBe(false);
  }
  await vi.waitFor(
    async () => {
      await app.jobs.drain();
      expect(await damagedFilesOf(person, release.id)).toHaveLength(2);
    },
    { timeout: 30_000 },
  );
  await store.writeWhole(Buffer.from('gone'));
  const before = await updatesOf(person, deployment.id);

  await enqueueDue(new Date('2032-01-01'), 0);
  await app.jobs.drain();
  expect(await damagedFilesOf(person, release.id)).toEqual(['index.html']);
  expect(await updatesOf(person, deployment.id)).toBe(before + 1);
});

test('the weekly reading finds what nobody has asked for, also when the file looks as it did', async () => {
  await using running = await start();
  const { app, store } = running;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Silent', platform: 'built-in' });
  const release = await publish(app, person, deployment, { 'index.html': 'silent damage' });
  await running.corrupt('silent damage');
  expect(await store.has(sha256Of('silent damage'))).toBe(true);

  await enqueueDue(new Date('2031-01-01'), 0);
  await app.jobs.drain();
  await untilMarked(app, person, release.id);

  expect((await person.caller.releases.get({ releaseId: release.id })).damagedFiles).toEqual(['index.html']);
  expect(await store.has(sha256Of('silent damage'))).toBe(false);
});
