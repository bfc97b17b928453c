import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JobModel } from '../../../server/database/models/job.ts';
import { ArtifactModel } from '../../../server/database/models/publishing/artifact.ts';
import { ReleaseModel } from '../../../server/database/models/publishing/release.ts';
import { UploadModel } from '../../../server/database/models/publishing/upload.ts';
import { createRateCounters } from '../../../server/lib/rate-counters.ts';
import { enqueueDue } from '../../../server/queue/recurring.ts';
import { createDiskStore } from '../../../server/store/disk/disk.ts';
import { collectGarbage } from '../../../server/store/garbage.ts';
import type { ArtifactStore } from '../../../server/store/store.ts';
import type { Person } from '../../support/app.ts';
import {
  contextOf,
  createPublishingApp,
  type PublishingApp,
  publish,
  type Site,
  sendSite,
  sha256Of,
  startRelease,
} from '../../support/publishing.ts';
import { IS_FULL } from '../../support/size.ts';

const TWO_DAYS_AGO = new Date(Date.now() - 48 * 60 * 60_000);
const NEVER = new AbortController().signal;
const ROUNDS = IS_FULL ? 3 : 1;

/** Makes everything look unused for two days. */
async function grow(app: PublishingApp): Promise<void> {
  const folder = join(app.folder, 'artifacts');
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      await utimes(join(entry.parentPath, entry.name), TWO_DAYS_AGO, TWO_DAYS_AGO).catch(() => undefined);
  }
  await ArtifactModel.updateMany({}, { $set: { lastUsedAt: TWO_DAYS_AGO } })
    .setOptions({ acrossAccounts: 'maintenance' })
    .comment('test');
  await UploadModel.deleteMany({ state: 'used' }).setOptions({ acrossAccounts: 'maintenance' }).hint({ _id: 1 });
}

const collect = (app: PublishingApp) => collectGarbage(app.providers, NEVER);

async function remove(app: PublishingApp, person: Person, deploymentId: string): Promise<void> {
  await person.caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
}

const siteOf = (name: string): Site => ({
  'index.html': `<h1>${name}</h1>`,
  'shared.css': 'body { color: teal }',
  [`only-${name}.txt`]: `only ${name}`,
});

test('what a removed deployment alone had is collected a day later; what others share, and older releases, stay', async () => {
  await using app = await createPublishingApp();
  const [one, other] = [await app.trialPerson(), await app.trialPerson()];
  const gone = await one.caller.deployments.create({ name: 'Gone', platform: 'built-in' });
  const kept = await other.caller.deployments.create({ name: 'Kept', platform: 'built-in' });
  await publish(app, one, gone, siteOf('gone'));
  const first = await publish(app, other, kept, siteOf('first'));
  await publish(app, other, kept, siteOf('second'));
  await remove(app, one, gone.id);
  const { store } = app.providers;

  expect(await collect(app)).toEqual({ artifacts: 0, sizeBytes: 0 });
  await grow(app);
  // Two files of its own and its list of files.
  expect((await collect(app)).artifacts).toBe(3);

  expect(await store.has(sha256Of('only gone'))).toBe(false);
  expect((await app.visit('kept')).text).toBe('<h1>second</h1>');
  expect((await app.visit('r1--kept', '/shared.css')).text).toBe('body { color: teal }');
  await other.caller.deployments.rollBack({ deploymentId: kept.id, releaseId: first.id });
  await app.jobs.drain();
  expect((await app.visit('kept', '/only-first.txt')).text).toBe('only first');
  // Its account has to send again what was collected.
  const again = await one.caller.deployments.create({ name: 'Again', platform: 'built-in' });
  expect((await publish(app, one, again, siteOf('gone'))).state).toBe('live');
});

test('files of an upload stay as long as it is open, and go when it has expired', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const { uploadId } = await person.caller.releases.prepare();
  await sendSite(await contextOf(app, person), uploadId, siteOf('open'));
  await grow(app);
  await collect(app);
  expect(await app.providers.store.has(sha256Of('only open'))).toBe(true);
  await UploadModel.deleteOne({ _id: uploadId, accountId: person.user.id });
  await collect(app);
  expect(await app.providers.store.has(sha256Of('only open'))).toBe(false);
});

test('while a list of files cannot be read, everything of its account is kept and others are collected', async () => {
  await using app = await createPublishingApp();
  const [affected, other] = [await app.trialPerson(), await app.trialPerson()];
  const deployment = await affected.caller.deployments.create({ name: 'Affected', platform: 'built-in' });
  const release = await publish(app, affected, deployment, siteOf('affected'));
  const gone = await other.caller.deployments.create({ name: 'Gone too', platform: 'built-in' });
  await publish(app, other, gone, siteOf('lost'));
  await remove(app, other, gone.id);
  const { store } = app.providers;
  const { manifestHash } = await ReleaseModel.findOne({ _id: release.id, accountId: affected.user.id }).orFail();
  await store.remove(manifestHash);
  await grow(app);

  await collect(app);

  expect(await store.has(sha256Of('only affected'))).toBe(true);
  expect(await store.has(sha256Of('only lost'))).toBe(false);
});

/** Returns a store whose collection stops at the moment between the decision and the removal. */
function pausing(
  store: ArtifactStore,
  whilePaused: (moment: 'before' | 'after', about: ReadonlySet<string>) => Promise<void>,
): ArtifactStore {
  return {
    ...store,
    collect: (collection) =>
      store.collect({
        ...collection,
        choose: async (asked) => {
          await whilePaused('before', new Set(asked));
          const chosen = await collection.choose(asked);
          await whilePaused('after', chosen);
          return chosen;
        },
      }),
  };
}

test.each(['before', 'after'] as const)(
  'a release that is made %s the decision of a paused collection is whole',
  async (moment) => {
    const name = `paused-${moment}`;
    await using app = await createPublishingApp();
    const person = await app.trialPerson();
    const gone = await person.caller.deployments.create({ name: 'Gone', platform: 'built-in' });
    const next = await person.caller.deployments.create({ name: 'Next', platform: 'built-in' });
    await publish(app, person, gone, siteOf(name));
    await remove(app, person, gone.id);
    await grow(app);
    const made: string[] = [];
    const store = pausing(app.providers.store, async (now, about) => {
      if (now !== moment || !about.has(sha256Of(`only ${name}`)) || made.length > 0) return;
      made.push((await startRelease(app, person, next, siteOf(name))).id);
    });

    await collectGarbage({ ...app.providers, store }, NEVER);
    await app.jobs.drain();

    const release = await person.caller.releases.get({ releaseId: made[0] ?? '' });
    expect(release.state).toBe('live');
    expect((await app.visit(next.slug, `/only-${name}.txt`)).text).toBe(`only ${name}`);
    await grow(app);
    await collect(app);
    expect(await app.providers.store.has(sha256Of(`only ${name}`))).toBe(true);
  },
);

test('releases in a loop beside collections in a loop: none loses a file', async () => {
  await using app = await createPublishingApp();
  const people = [await app.trialPerson(), await app.trialPerson()];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await Promise.all(
      people.map((person) => person.caller.deployments.create({ name: `old ${round}`, platform: 'built-in' })),
    );
    for (const [index, person] of people.entries()) {
      await publish(app, person, before[index] ?? { id: '' }, siteOf(`round${round % 2}`));
      await remove(app, person, before[index]?.id ?? '');
    }
    // From here on nothing names the files; both publish them again while they are collected.
    await grow(app);
    let isOver = false;
    const collecting = (async () => {
      while (!isOver) await collect(app);
    })();
    const after = await Promise.all(
      people.map((person) => person.caller.deployments.create({ name: `new ${round}`, platform: 'built-in' })),
    );
    const started = await Promise.all(
      people.map((person, index) => startRelease(app, person, after[index] ?? { id: '' }, siteOf(`round${round % 2}`))),
    );
    await app.jobs.drain();
    isOver = true;
    await collecting;
    for (const [index, person] of people.entries()) {
      const release = await person.caller.releases.get({ releaseId: started[index]?.id ?? '' });
      expect(release).toMatchObject({ state: 'live', error: null });
      await remove(app, person, after[index]?.id ?? '');
    }
  }
});

test('the job runs once in its hour, whoever looks, and not beside itself', async () => {
  await using app = await createPublishingApp();
  const now = new Date('2026-03-01T10:20:00Z');
  await Promise.all([enqueueDue(now, 0), enqueueDue(now, 0), enqueueDue(now, 0)]);
  expect(await JobModel.countDocuments({ _id: /^collect-garbage / }).setOptions({ acrossAccounts: 'jobs' })).toBe(1);
  // The one of the next hour waits for it.
  await enqueueDue(new Date(now.getTime() + 60 * 60_000), 0);
  expect(await JobModel.countDocuments({ _id: /^collect-garbage / }).setOptions({ acrossAccounts: 'jobs' })).toBe(1);
  await app.jobs.drain();
  expect(await JobModel.findOne({ _id: /^collect-garbage / }).setOptions({ acrossAccounts: 'jobs' })).toMatchObject({
    status: 'done',
    lastError: null,
  });
  await enqueueDue(now, 0);
  await enqueueDue(new Date(now.getTime() + 60 * 60_000), 0);
  expect(await JobModel.countDocuments({ _id: /^collect-garbage / }).setOptions({ acrossAccounts: 'jobs' })).toBe(2);
  await app.jobs.drain();
});

test('a store in a folder that several instances share is collected by one while another publishes', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const other = await createDiskStore({
    folder: join(app.folder, 'artifacts'),
    minFreeBytes: 0,
    rateCounters: createRateCounters(),
  });
  const gone = await person.caller.deployments.create({ name: 'Gone', platform: 'built-in' });
  await publish(app, person, gone, siteOf('elsewhere'));
  await remove(app, person, gone.id);
  await grow(app);
  await collectGarbage({ ...app.providers, store: other }, NEVER);
  const next = await person.caller.deployments.create({ name: 'Next', platform: 'built-in' });
  expect((await publish(app, person, next, siteOf('elsewhere'))).state).toBe('live');
});
