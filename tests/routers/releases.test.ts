import { expect, test, vi } from 'vitest';
import type { StoredEvent } from '../../routers/schemas/events.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import type { AccountContext } from '../../server/context.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { PublicationModel } from '../../server/database/models/publishing/publication.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { UploadModel } from '../../server/database/models/publishing/upload.ts';
import { newId } from '../../server/database/mongo.ts';
import { AppError } from '../../server/lib/errors.ts';
import type { RateCounters } from '../../server/lib/rate-counters.ts';
import { builtIn } from '../../server/publishing/platforms/built-in/index.ts';
import { receiveFile, receiveManifest } from '../../server/publishing/uploads/index.ts';
import { removeUnnamedManifest } from '../../server/publishing/uploads/unnamed-manifest.ts';
import type { ArtifactStore } from '../../server/store/store.ts';
import type { Person } from '../support/app.ts';
import { platforms } from '../support/platforms.ts';
import {
  contextOf,
  createPublishingApp,
  manifestOf,
  publish,
  type Site,
  sendSite,
  sha256Of,
  startRelease,
  storeLive,
} from '../support/publishing.ts';

const SITE = { 'index.html': '<h1>One</h1>', 'style.css': 'h1 { color: teal }', 'about/index.html': 'About' };

const hashes = (now: string, before: string) => ({ sha256: sha256Of(now), previousSha256: sha256Of(before) });

async function eventsOf(person: Person): Promise<{ type: string; payload: Partial<StoredEvent> }[]> {
  return EventModel.find({ accountId: person.user.id }).sort({ seq: 1 }).lean();
}

test('an account has so many releases published within the hour, roll backs and further tries among them', async () => {
  await using app = await createPublishingApp({ limits: { releasesPerHour: 4 } });
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Often', platform: 'built-in' });
  const { id: releaseId } = await publish(app, person, deployment, SITE);
  await storeLive(app, deployment, { ...SITE, 'index.html': 'Two' });
  const { deployments, releases } = person.caller;
  const started = await startRelease(app, person, deployment, SITE);
  await releases.cancel({ releaseId: started.id });
  await releases.cancel({ releaseId: (await releases.retry({ releaseId: started.id })).id });
  await deployments.rollBack({ deploymentId: deployment.id, releaseId });
  await app.jobs.drain();
  const message = expect.stringMatching(/^Release 1 of Often is live again at http:\/\/often\./);
  expect((await eventsOf(person)).at(-1)?.payload).toMatchObject({ status: 'success', message });
  await expect(startRelease(app, person, deployment, { ...SITE, 'index.html': 'Three' })).rejects.toMatchObject({
    cause: {
      code: 'rate_limited',
      message: expect.stringMatching(/^An account can publish 4 releases an hour. Try again in \d+ minutes\.$/),
    },
  });
});

test('publishing again with one changed file asks for one file, and the old release stays at its own address', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Again', platform: 'built-in' });
  await publish(app, person, deployment, SITE);

  const { uploadId } = await person.caller.releases.prepare({ deploymentId: deployment.id });
  const changed = { ...SITE, 'index.html': '<h1>Two</h1>' };
  const answer = await sendSite(await contextOf(app, person), uploadId, changed);
  expect(answer.missing).toHaveLength(1);
  const second = await person.caller.releases.create({ deploymentId: deployment.id, uploadId, source: 'editor' });
  expect(second).toMatchObject({ number: 2, changedFiles: 1, source: 'editor' });
  await app.jobs.drain();

  expect((await app.visit('again')).text).toBe('<h1>Two</h1>');
  expect((await app.visit('r1--again')).text).toBe('<h1>One</h1>');
  const { items } = await person.caller.releases.list({ deploymentId: deployment.id });
  expect(items.map((release) => [release.number, release.state])).toEqual([
    [2, 'live'],
    [1, 'superseded'],
  ]);
  expect(await person.caller.releases.diff({ releaseId: second.id })).toEqual({
    previousId: items[1]?.id,
    previousNumber: 1,
    added: [],
    changed: [{ path: 'index.html', sizeBytes: 12, ...hashes('<h1>Two</h1>', '<h1>One</h1>'), previousBytes: 12 }],
    removed: [],
    counts: { added: 0, changed: 1, removed: 0 },
    isCut: false,
  });
});

test('a file that changed under a name that promises it never does is asked about each time, for good', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Reused', platform: 'built-in' });
  const path = 'assets/index-DQI504kc.css';
  const site = { ...SITE, [path]: 'a{}', '_next/static/main-3f2a1b9c4d5e6f70.js': 'one()' };
  const cacheOf = async (name: string, file = path) => (await app.visit(name, `/${file}`)).headers['cache-control'];
  const first = await publish(app, person, deployment, site);
  expect(await cacheOf('reused')).toContain('immutable');
  await publish(app, person, deployment, { ...site, [path]: 'b{}' });
  expect(await cacheOf('reused')).toBe('public, max-age=0, must-revalidate');
  expect(await cacheOf('reused', '_next/static/main-3f2a1b9c4d5e6f70.js')).toContain('immutable');
  await person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: first.id });
  await app.jobs.drain();
  expect(await cacheOf('reused')).toBe('public, max-age=0, must-revalidate');
});

test('any two releases of a deployment are compared, with sizes, and long lists are cut', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Compared', platform: 'built-in' });
  const other = await person.caller.deployments.create({ name: 'Another', platform: 'built-in' });
  const first = await storeLive(app, deployment, { 'a.txt': 'a', 'b.txt': 'bb', 'c.txt': 'ccc' });
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, number) => [`n/${number}.txt`, 'same']));
  const second = await startRelease(app, person, deployment, { 'a.txt': 'a', ...many });
  await person.caller.releases.cancel({ releaseId: second.id });
  const third = await startRelease(app, person, deployment, { 'a.txt': 'aaaa', 'c.txt': 'ccc', 'd.txt': 'd' });
  const foreign = await startRelease(app, person, other, { 'a.txt': 'a' });

  expect(await person.caller.releases.diff({ releaseId: third.id, against: first.id })).toEqual({
    previousId: first.id,
    previousNumber: 1,
    added: [{ path: 'd.txt', sizeBytes: 1 }],
    changed: [{ path: 'a.txt', sizeBytes: 4, ...hashes('aaaa', 'a'), previousBytes: 1 }],
    removed: [{ path: 'b.txt', sizeBytes: 2 }],
    counts: { added: 1, changed: 1, removed: 1 },
    isCut: false,
  });
  expect(await person.caller.releases.diff({ releaseId: first.id, against: third.id })).toMatchObject({
    added: [{ path: 'b.txt' }],
    removed: [{ path: 'd.txt' }],
  });
  expect((await person.caller.releases.diff({ releaseId: third.id })).previousNumber).toBe(1);
  const long = await person.caller.releases.diff({ releaseId: third.id, against: second.id });
  expect(long).toMatchObject({ previousNumber: 2, counts: { added: 2, changed: 1, removed: 600 }, isCut: true });
  expect(long.removed).toHaveLength(500);
  await expect(person.caller.releases.diff({ releaseId: third.id, against: foreign.id })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
});

test('a failed first release leaves the deployment failed, and trying again publishes the same files', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Retry', platform: 'built-in' });
  app.providers.platforms = {
    'built-in': {
      ...builtIn,
      // biome-ignore lint/correctness/useYield: it fails before it has anything to tell
      async *publish() {
        throw new AppError('platform_failed', 'It does not want to.');
      },
    },
  };
  const failed = await publish(app, person, deployment, SITE);
  expect(failed).toMatchObject({
    state: 'failed',
    error: { code: 'platform_failed', message: 'It does not want to.' },
  });
  expect((await person.caller.deployments.get({ deploymentId: deployment.id })).state).toBe('failed');

  app.providers.platforms = platforms;
  const retried = await person.caller.releases.retry({ releaseId: failed.id });
  expect(retried).toMatchObject({ number: 2, source: 'retry', state: 'queued' });
  await app.jobs.drain();
  expect((await person.caller.releases.get({ releaseId: retried.id })).state).toBe('live');
  await expect(person.caller.releases.retry({ releaseId: retried.id })).rejects.toMatchObject({
    message: expect.stringContaining('failed or was cancelled'),
  });
  // What was edited stays known as that, so that a folder does not replace it unasked.
  await ReleaseModel.updateOne({ _id: failed.id, accountId: person.user.id }, { source: 'editor' });
  expect(await person.caller.releases.retry({ releaseId: failed.id })).toMatchObject({ number: 3, source: 'editor' });
});

test('a queued release is cancelled at once: a notification, no failure', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Stop', platform: 'built-in' });
  const started = await startRelease(app, person, deployment, SITE);
  expect(await person.caller.releases.cancel({ releaseId: started.id })).toMatchObject({ state: 'cancelled' });
  expect((await person.caller.deployments.get({ deploymentId: deployment.id })).state).toBe('draft');
  await app.jobs.drain();
  expect((await person.caller.releases.get({ releaseId: started.id })).state).toBe('cancelled');
  const events = await eventsOf(person);
  expect(events.at(-1)).toMatchObject({ type: 'notification', payload: { releaseId: started.id } });
  expect(events.some((event) => event.type === 'deployment_status')).toBe(false);
  await expect(person.caller.releases.cancel({ releaseId: started.id })).rejects.toMatchObject({ code: 'CONFLICT' });
});

test("another account's work has no say in how a release is cancelled", async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Own', platform: 'built-in' });
  const started = await startRelease(app, person, deployment, SITE);
  const work = {
    name: 'send-mail',
    payload: {},
    status: 'running',
    runAt: new Date(),
    leaseUntil: new Date(),
  } as const;
  await JobModel.create({ _id: newId(), accountId: newId(), key: deployment.id, ...work });
  expect(await person.caller.releases.cancel({ releaseId: started.id })).toMatchObject({ state: 'cancelled' });
});

test('a deployment is published by one release at a time', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Busy', platform: 'built-in' });
  const ctx = await contextOf(app, person);
  const uploads = await Promise.all([person.caller.releases.prepare(), person.caller.releases.prepare()]);
  for (const { uploadId } of uploads) await sendSite(ctx, uploadId, SITE);
  const created = await Promise.allSettled(
    uploads.map(({ uploadId }) => person.caller.releases.create({ deploymentId: deployment.id, uploadId })),
  );
  expect(created.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  expect(created.find((result) => result.status === 'rejected')?.reason).toMatchObject({
    code: 'CONFLICT',
    cause: { code: 'deployment_busy' },
  });
  // The refused one has not used up its upload.
  expect(await UploadModel.countDocuments({ accountId: person.user.id, state: 'open' })).toBe(1);
});

test('a release is made only of an upload that is complete, open and meant for the deployment', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Strict', platform: 'built-in' });
  const other = await person.caller.deployments.create({ name: 'Other', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare({ deploymentId: other.id });
  const create = (deploymentId: string) => person.caller.releases.create({ deploymentId, uploadId });
  await expect(create(other.id)).rejects.toMatchObject({ cause: { code: 'upload_incomplete' } });
  await sendSite(await contextOf(app, person), uploadId, SITE);
  await expect(create(deployment.id)).rejects.toMatchObject({ cause: { code: 'conflict' } });
  await create(other.id);
  await expect(create(other.id)).rejects.toMatchObject({ cause: { code: 'upload_closed' } });
});

test('no release is made of the files that are live where one is wanted for a change alone, unless they are damaged', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Again', platform: 'built-in' });
  const create = async (site: Site, ifChanged: boolean) => {
    const { uploadId } = await person.caller.releases.prepare({ deploymentId: deployment.id });
    await sendSite(await contextOf(app, person), uploadId, site);
    return person.caller.releases.create({ deploymentId: deployment.id, uploadId, ifChanged });
  };
  const again = async (site: Site, ifChanged: boolean) => {
    const { id: releaseId, number } = await create(site, ifChanged);
    await person.caller.releases.cancel({ releaseId });
    return number;
  };
  expect(await again(SITE, true), 'the first').toBe(1);
  const live = await storeLive(app, deployment, SITE);
  const refused = { cause: { code: 'release_unchanged', message: 'Nothing changed since release 2.' } };
  for (let tries = 0; tries <= UPLOAD_LIMITS.maxOpenUploads; tries += 1)
    await expect(again(SITE, true), 'no slot stays taken').rejects.toMatchObject(refused);
  expect(await again({ ...SITE, 'new.html': 'new' }, true)).toBe(3);
  expect(await again(SITE, false), 'wanted all the same').toBe(4);
  const corruptedFiles = [{ path: 'style.css', sha256: sha256Of(SITE['style.css']) }];
  await ReleaseModel.updateOne({ _id: live.id, accountId: person.user.id }, { $set: { corruptedFiles } });
  expect(await again(SITE, true), 'to bring back what was lost').toBe(5);
  await storeLive(app, deployment, { ...SITE, 'new.html': 'new' });
  expect(await again(SITE, true), 'the files of an earlier one').toBe(7);
  await create({ ...SITE, 'new.html': 'newer' }, true);
  const busy = { cause: { code: 'deployment_busy' } };
  await expect(create(SITE, true), 'nobody knows what will be live').rejects.toMatchObject(busy);
});

test('releases are listed by account and by deployment, newest first, page by page', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const one = await person.caller.deployments.create({ name: 'One', platform: 'built-in' });
  const two = await person.caller.deployments.create({ name: 'Two', platform: 'built-in' });
  for (const [index, deployment] of [one, two, one].entries())
    await storeLive(app, deployment, { 'index.html': `release ${index}` });

  const first = await person.caller.releases.list({ limit: 2 });
  expect(first.items.map((release) => [release.deploymentName, release.number])).toEqual([
    ['One', 2],
    ['Two', 1],
  ]);
  const rest = await person.caller.releases.list({ limit: 2, cursor: first.nextCursor ?? '' });
  expect(rest.items.map((release) => [release.deploymentName, release.number])).toEqual([['One', 1]]);
  expect(rest.nextCursor).toBeNull();

  const ofOne = await person.caller.releases.list({ deploymentId: one.id, limit: 1 });
  expect(ofOne.items[0]?.number).toBe(2);
  const older = await person.caller.releases.list({ deploymentId: one.id, limit: 1, cursor: ofOne.nextCursor ?? '' });
  expect(older.items[0]?.number).toBe(1);
  expect((await person.caller.releases.list({ state: 'superseded' })).items).toHaveLength(1);

  // One word of the screens stands for every state of a release that runs.
  const listed = async (state: 'publishing' | 'waiting') =>
    (await person.caller.releases.list({ state })).items.map(({ number }) => number);
  expect(await listed('publishing')).toEqual([]);
  const { user } = person;
  await ReleaseModel.updateOne({ accountId: user.id, deploymentId: one.id, number: 2 }, { state: 'processing' });
  expect([await listed('publishing'), await listed('waiting')]).toEqual([[2], []]);
  const of = { accountId: user.id, releaseId: ofOne.items[0]?.id ?? '', deploymentId: one.id, destinationId: newId() };
  await PublicationModel.create({ ...of, _id: newId(), platform: 'replit', state: 'waiting' });
  expect([await listed('publishing'), await listed('waiting')]).toEqual([[], [2]]);
});

test('three uploads may be open; a fourth waits until one has been quiet for half a minute', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  for (let count = 0; count < 3; count += 1) await person.caller.releases.prepare();
  app.clock.advance(20_000);
  await expect(person.caller.releases.prepare()).rejects.toMatchObject({ cause: { code: 'quota_exhausted' } });
  app.clock.advance(11_000);
  await person.caller.releases.prepare();
  expect(await UploadModel.countDocuments({ accountId: person.user.id, state: 'open' })).toBe(3);
});

test('an upload whose bytes come slowly is not a quiet one', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const ctx = await contextOf(app, person);
  const [slow, second] = [await person.caller.releases.prepare(), await person.caller.releases.prepare()];
  await person.caller.releases.prepare();
  const site = { 'index.html': 'slowly' };
  await receiveManifest(ctx, slow.uploadId, { files: manifestOf(site) });
  async function* slowly(): AsyncGenerator<Uint8Array> {
    for (const letter of 'slowly') {
      yield Buffer.from(letter);
      app.clock.advance(15_000);
    }
    await person.caller.releases.prepare();
  }

  await receiveFile(ctx, slow.uploadId, { sha256: sha256Of('slowly'), body: slowly(), contentLength: null });

  const open = await UploadModel.find({ accountId: person.user.id, state: 'open' });
  expect(open.map((doc) => doc._id)).toContain(slow.uploadId);
  expect(open.map((doc) => doc._id)).not.toContain(second.uploadId);
});

test('a list of files that was replaced leaves the store, unless something else names it', async () => {
  await using app = await createPublishingApp();
  const [person, other] = [await app.trialPerson(), await app.trialPerson()];
  const { store } = app.providers;
  const deployment = await person.caller.deployments.create({ name: 'Lists', platform: 'built-in' });
  const ctx = await contextOf(app, person);
  const announce = async (owner: AccountContext, uploadId: string, site: Site) => {
    await sendSite(owner, uploadId, site);
    const doc = await UploadModel.findOne({ _id: uploadId, accountId: owner.actor.accountId }).orFail();
    return doc.manifestHash ?? '';
  };

  const { uploadId } = await person.caller.releases.prepare();
  const [lonely, shared] = [{ 'index.html': 'lonely' }, { 'index.html': 'shared' }];
  const first = await announce(ctx, uploadId, lonely);
  const second = await announce(ctx, uploadId, shared);
  expect([await store.has(first), await store.has(second)]).toEqual([false, true]);

  const foreign = await other.caller.releases.prepare();
  expect(await announce(await contextOf(app, other), foreign.uploadId, shared)).toBe(second);
  const third = await announce(ctx, uploadId, { 'index.html': 'published' });
  expect(await store.has(second)).toBe(true);

  const release = await person.caller.releases.create({ deploymentId: deployment.id, uploadId });
  const next = await person.caller.releases.prepare();
  expect(await announce(ctx, next.uploadId, { 'index.html': 'published' })).toBe(third);
  await announce(ctx, next.uploadId, lonely);
  expect(await store.has(third)).toBe(true);
  await app.jobs.drain();
  expect(await person.caller.releases.get({ releaseId: release.id })).toMatchObject({ state: 'live' });
});

test('of two that take one replaced list away at once, the second finds it gone and reports no corruption', async () => {
  await using app = await createPublishingApp();
  const { store, rateCounters } = app.providers;
  const { sha256 } = await store.writeWhole(Buffer.from('[]'));
  const told: string[] = [];
  let isRemoved = (): void => undefined;
  const removed = new Promise<void>((resolve) => (isRemoved = resolve));
  let asked = 0;
  let waiting = 0;
  const inTurn: RateCounters = {
    ...rateCounters,
    async takeSlot(...slot) {
      waiting += 1;
      return rateCounters.takeSlot(...slot).finally(() => (waiting -= 1));
    },
  };
  /** The second caller reads only when the first has removed the list. */
  const slow: ArtifactStore = {
    ...store,
    async has(hash) {
      asked += 1;
      const isSecond = asked === 2;
      const found = await store.has(hash);
      if (isSecond) await removed;
      return found;
    },
    async remove(hash) {
      // The other one has asked as well, unless it waits for its turn.
      await vi.waitFor(() => expect(asked + waiting).toBe(2));
      await store.remove(hash);
      isRemoved();
    },
    readWhole: (hash) => store.readWhole(hash).catch((error) => Promise.reject(told.push(hash) && error)),
  };
  await Promise.all([1, 2].map(() => removeUnnamedManifest({ store: slow, rateCounters: inTurn }, sha256)));
  expect([told, await store.has(sha256), asked]).toEqual([[], false, 2]);
});

test('uploads that replace and announce one list at once end with what they name in the store', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const ctx = await contextOf(app, person);
  const uploads = [await person.caller.releases.prepare(), await person.caller.releases.prepare()];
  for (let round = 0; round < 10; round += 1) {
    const sites = [{ 'index.html': `${round % 2}` }, { 'index.html': `${(round + 1) % 2}` }];
    await Promise.all(
      uploads.flatMap(({ uploadId }) =>
        sites.map((site) => receiveManifest(ctx, uploadId, { files: manifestOf(site) })),
      ),
    );
    const docs = await UploadModel.find({ accountId: person.user.id, state: 'open' });
    for (const doc of docs) expect(await app.providers.store.has(doc.manifestHash ?? '')).toBe(true);
  }
});
