import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DeploymentModel } from '../../server/database/models/deployment.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { ReleaseModel } from '../../server/database/models/release.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { claimJob } from '../../server/queue/claim.ts';
import { enqueueJob, finishJob } from '../../server/queue/queue.ts';
import { enqueueCompression, makeVariants } from '../../server/services/releases/variants.ts';
import { createTestHost, publishSite } from '../support/host.ts';
import { createPublishingApp, publish } from '../support/publishing.ts';

const ACROSS = { acrossAccounts: 'host' } as const;
const PAGE = `<!doctype html><p>${'Tie the rope well. '.repeat(400)}</p>`;

test('a release that is live gets its variants; for one that has them, or is gone, nothing is read', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Pressed', platform: 'built-in' });
  const { id } = await publish(app, person, deployment, { 'index.html': PAGE });
  const accountId = person.user.id;
  const { variants } = await ReleaseModel.findOne({ _id: id, accountId }).orFail();
  expect(variants?.packHashes).toHaveLength(1);

  app.providers.store.readWhole = async () => {
    throw new Error('Nothing is to be read.');
  };
  const again = [id, newId()].map((releaseId) => ({ id: newId(), payload: { releaseId } }));
  await transaction(async (session) => {
    for (const job of again) await enqueueJob(session, { ...job, name: 'compress-release', accountId });
  });
  await app.jobs.drain();
  const rows = await JobModel.find({ _id: { $in: again.map((job) => job.id) }, accountId });
  expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual([
    ['done', 1],
    ['done', 1],
  ]);
});

test('the releases of one deployment are compressed one after the other, so that the second finds what the first has made', async () => {
  await using site = await createTestHost();
  const [first, second] = [await publishSite(site, 'turns', {}), await publishSite(site, 'turns', {})];
  for (const { releaseId, deploymentId } of [first, second]) {
    const release = await ReleaseModel.findById(releaseId).setOptions(ACROSS).orFail();
    const deployment = await DeploymentModel.findById(deploymentId).setOptions(ACROSS).orFail();
    await transaction((session) => enqueueCompression(session, release, deployment));
  }
  const claim = () => claimJob('tester', ['compress-release']);
  const running = await claim();
  expect(running?.payload).toEqual({ releaseId: first.releaseId });
  expect(await claim()).toBeNull();
  if (running !== null) await finishJob(running);
  expect((await claim())?.payload).toEqual({ releaseId: second.releaseId });
});

test('an aborted run leaves the release as it was', async () => {
  await using site = await createTestHost();
  const { releaseId } = await publishSite(site, 'aborted', { 'index.html': PAGE });
  const release = await ReleaseModel.findById(releaseId).setOptions(ACROSS).orFail();
  await expect(
    makeVariants(site.providers.store, release, {
      signal: AbortSignal.abort(new Error('stop')),
      remainingBytes: 1_000_000,
    }),
  ).rejects.toThrow('stop');
  expect((await ReleaseModel.findById(releaseId).setOptions(ACROSS).orFail()).variants).toBeNull();
});

test('the variants of an account have a limit: what is beyond it is served as it is, also in later releases', async () => {
  const page = (name: string) => `<!doctype html><p>${name} ${randomBytes(3_000).toString('hex')}</p>`;
  await using app = await createPublishingApp({ limits: { variantBytes: 5_000 } });
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Full', platform: 'built-in' });
  const site = { 'index.html': page('first'), 'b.html': page('second'), 'c.html': page('third') };
  const accountId = person.user.id;
  const variantsOf = async (id: string) =>
    (await ReleaseModel.findOne({ _id: id, accountId }).orFail()).variants ?? { sizeBytes: 0 };

  const first = await publish(app, person, deployment, site);
  const made = await variantsOf(first.id);
  // One file of 6 KB of hexadecimal digits packs to 3 KB, twice.
  expect(made.sizeBytes).toBeGreaterThan(5_000);
  expect(made.sizeBytes).toBeLessThan(9_000);
  const second = await publish(app, person, deployment, { ...site, 'd.html': page('fourth') });
  expect(await variantsOf(second.id)).toMatchObject({ indexHash: null, packHashes: [], sizeBytes: 0 });
  for (const path of ['/', '/b.html', '/d.html']) expect((await app.visit(deployment.slug, path)).status).toBe(200);
});
