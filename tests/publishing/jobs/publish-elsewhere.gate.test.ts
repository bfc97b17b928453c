import { expect, test } from 'vitest';
import { JobModel } from '../../../server/database/models/job.ts';
import { PublicationModel } from '../../../server/database/models/publishing/publication.ts';
import { AppError } from '../../../server/lib/errors.ts';
import { withFastTimeouts } from '../../support/fast-timeouts.ts';
import { withFileFromBefore } from '../../support/file-from-before.ts';
import { makeDue } from '../../support/make-due.ts';
import { ONE, TWO } from '../../support/platform-app.ts';
import { createTwoPlatforms } from '../../support/two-platforms.ts';

test('one that is killed in the middle fails alone, says why, and is tried again alone', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId } = await app.createOnBoth('Half');
  app.vercel.world.fail('upload', { how: 'cut' }, 1_000);
  const release = await app.publish({ id: deploymentId }, TWO);
  expect(release).toMatchObject({ state: 'live', error: null });
  const failed = await app.deployments.get({ deploymentId });
  expect(failed).toMatchObject({ state: 'live', destinations: [{ state: 'live' }, { state: 'failed' }] });
  expect(failed.destinations[1]?.error).toMatchObject({ code: 'platform_down' });
  expect(failed.destinations[1]?.error?.message).toContain('Vercel');
  expect([await app.textAt(deploymentId, 'netlify'), await app.textAt(deploymentId, 'vercel')]).toEqual([
    TWO['index.html'],
    ONE['index.html'],
  ]);

  app.vercel.world.heal();
  const requests = app.netlify.standIn.requests.length;
  const destinationId = failed.destinations[1]?.id ?? '';
  const begun = await app.deployments.retryDestination({ deploymentId, destinationId });
  expect(begun.destinations[1]).toMatchObject({ state: 'publishing', error: null });
  await app.settle();
  expect((await app.deployments.get({ deploymentId })).destinations[1]).toMatchObject({ state: 'live', error: null });
  expect(await app.textAt(deploymentId, 'vercel')).toBe(TWO['index.html']);
  expect(app.netlify.standIn.requests.length).toBe(requests);
});

test('a token that is refused at one platform fails that one, and breaks its connection alone', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId } = await app.createOnBoth('Refused');
  app.vercel.world.revoke();
  expect((await app.publish({ id: deploymentId }, TWO)).state).toBe('live');
  const { destinations } = await app.deployments.get({ deploymentId });
  expect(destinations[1]).toMatchObject({ state: 'failed', error: { code: 'credentials_invalid' } });
  const { items } = await app.person.caller.connections.list();
  expect(items.map(({ provider, state }) => [provider, state])).toEqual([
    ['vercel', 'broken'],
    ['netlify', 'ok'],
  ]);
});

test.each([
  // Sending makes it public, or a request of its own after it was seen at its own address.
  { primary: 'netlify', further: 'vercel', seen: 0 },
  { primary: 'vercel', further: 'netlify', seen: Object.keys(TWO).length },
] as const)('one that is not seen on $further gives way to the one before it, each time', async (places) => {
  const { primary, further, seen } = places;
  const withdrawals = new Set<string>();
  await using app = await createTwoPlatforms({}, (platform) => ({
    ...withFastTimeouts(platform),
    async *restore(call, request) {
      if (request.actId.endsWith('-withdrawn')) withdrawals.add(request.actId);
      const restored = platform.restore?.(call, request);
      return restored === undefined ? request.ref : yield* restored;
    },
  }));
  const { id: deploymentId } = await app.deployments.create({ name: 'Unseen', platform: primary });
  await app.publish({ id: deploymentId }, ONE);
  await app.deployments.addDestination({ deploymentId, platform: further });
  await app.settle();
  const { world } = app[further];
  async function expectFailed(): Promise<string> {
    await app.settle();
    world.heal();
    const { state, destinations } = await app.deployments.get({ deploymentId });
    expect([state, destinations.map((one) => one.state)]).toEqual(['live', ['live', 'failed']]);
    expect(destinations[1]?.error).toMatchObject({ code: 'verification_failed' });
    const texts = [await app.textAt(deploymentId, primary), await app.textAt(deploymentId, further)];
    expect(texts).toEqual([TWO['index.html'], ONE['index.html']]);
    return destinations[1]?.id ?? '';
  }
  function failLooks(): void {
    if (seen > 0) world.fail('visit', { how: 'wait', ms: 0 }, seen);
    world.fail('visit', { how: 'garbage' }, 100_000);
  }
  failLooks();
  await app.start({ id: deploymentId }, TWO);
  const destinationId = await expectFailed();
  failLooks();
  await app.deployments.retryDestination({ deploymentId, destinationId });
  await expectFailed();
  expect(withdrawals.size, 'a platform does again what it is asked by another name alone').toBe(2);
  await app.deployments.retryDestination({ deploymentId, destinationId });
  await app.settle();
  expect(await app.textAt(deploymentId, further)).toBe(TWO['index.html']);
});

test('removed while a further platform is waiting for its turn, nothing is made there', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'Short', platform: 'netlify' });
  await app.publish({ id: deploymentId }, ONE);
  await app.deployments.addDestination({ deploymentId, platform: 'vercel' });
  await app.deployments.remove({ deploymentId });
  await app.settle();
  expect([await app.netlify.world.countSites(), await app.vercel.world.countSites()]).toEqual([0, 0]);
});

test('a draft gets its platforms before its first release, which goes to all of them', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'Draft', platform: 'netlify' });
  const { destinations } = await app.deployments.addDestination({ deploymentId, platform: 'vercel' });
  expect(destinations.map(({ state }) => state)).toEqual(['idle', 'idle']);
  const release = await app.publish({ id: deploymentId }, ONE);
  expect(release.destinations.map(({ state }) => state)).toEqual(['live', 'live']);
});

test('a private key that went live before the rule was made goes to no further platform', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'Old key', platform: 'netlify' });
  const { id: releaseId } = await app.publish({ id: deploymentId }, ONE);
  await withFileFromBefore(app, app.person, releaseId, ['id.pem', '-----BEGIN PRIVATE KEY-----\nAAAA\n']);
  await app.deployments.addDestination({ deploymentId, platform: 'vercel' });
  await app.settle();
  const { destinations } = await app.deployments.get({ deploymentId });
  const error = { code: 'upload_refused', message: expect.stringMatching(/^id\.pem: Probably a private key/) };
  expect(destinations).toMatchObject([{ state: 'live' }, { state: 'failed', error }]);
  expect(await app.vercel.world.countSites()).toBe(0);
});

test('what was still under way elsewhere ends when another release takes its place', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId, first } = await app.createOnBoth('Overtaken');
  const there = { accountId: app.person.user.id, releaseId: first.id, platform: 'vercel' as const };
  const underWay = { state: 'publishing' as const, 'steps.uploading.state': 'running' };
  await PublicationModel.updateOne(there, { $set: underWay });
  await app.publish({ id: deploymentId }, TWO);
  const { destinations, furtherSteps } = await app.releases.get({ releaseId: first.id });
  expect(destinations).toMatchObject([{ state: 'live' }, { state: 'idle', error: null }]);
  expect(furtherSteps[0]?.steps[1]).toMatchObject({ name: 'uploading', state: 'cancelled' });
});

test('what another release cut short elsewhere goes on when that one is taken back', async () => {
  let atSwitch = async (): Promise<void> => undefined;
  const at = async (boundary: string): Promise<void> => {
    if (boundary === 'verifying:switched') await atSwitch();
  };
  await using app = await createTwoPlatforms({ faults: { at } });
  const { id: deploymentId } = await app.create('Taken back');
  await app.publish({ id: deploymentId }, ONE);
  await app.deployments.addDestination({ deploymentId, platform: 'vercel' });
  const queued = { status: 'queued' as const, name: 'publish', accountId: app.person.user.id };
  await JobModel.updateOne(queued, { $set: { runAt: new Date('2999-01-01') } });
  const second = await app.start({ id: deploymentId }, TWO);
  atSwitch = async () => {
    atSwitch = async () => undefined;
    await makeDue();
    await app.jobs.drain();
    expect(await JobModel.countDocuments(queued), 'nobody wants the first release at Vercel now').toBe(0);
    throw new AppError('platform_failed', 'The site answers something else.');
  };
  await app.jobs.drain();
  expect((await app.releases.get({ releaseId: second.id })).state).toBe('failed');
  await app.settle();
  const { destinations } = await app.deployments.get({ deploymentId });
  expect(destinations).toMatchObject([{ state: 'live' }, { state: 'live', error: null }]);
  expect(await app.textAt(deploymentId, 'vercel')).toBe(ONE['index.html']);
});
