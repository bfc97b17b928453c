import { expect, test } from 'vitest';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { RELEASE_STEPS } from '../../routers/schemas/states.ts';
import { addToCount } from '../../server/account/rate-limit.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { HOUR_MS } from '../../server/lib/durations.ts';
import { ONE, TWO } from '../support/platform-app.ts';
import { refusalOf } from '../support/refusal.ts';
import { createTwoPlatforms } from '../support/two-platforms.ts';

test('what is live is published on a further platform, as every release from then on, and a roll back goes back at both', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId, first, begun, deployment } = await app.createOnBoth('Harbour');
  expect(begun.destinations.map(({ platform, state }) => [platform, state])).toEqual([
    ['netlify', 'live'],
    ['vercel', 'publishing'],
  ]);
  expect(begun.state).toBe('live');
  expect(deployment.destinations.map(({ state, error }) => [state, error])).toEqual([
    ['live', null],
    ['live', null],
  ]);
  expect(deployment.url).toBe(deployment.destinations.find(({ id }) => id === deployment.primaryId)?.url);
  expect(await app.textAt(deploymentId, 'vercel')).toBe(ONE['index.html']);

  // What makes no sense is refused: the same place twice, the primary one taken away, more while it is published.
  const [primary, other] = deployment.destinations.map(({ id }) => id);
  const twice = await refusalOf(app.deployments.addDestination({ deploymentId, platform: 'vercel' }));
  expect(twice).toMatchObject({ code: 'conflict', message: expect.stringContaining('already published on Vercel') });
  const refusals = [
    app.deployments.removeDestination({ deploymentId, destinationId: primary ?? '' }),
    app.deployments.retryDestination({ deploymentId, destinationId: other ?? '' }),
  ].map(refusalOf);
  for (const { code } of await Promise.all(refusals)) expect(code).toBe('conflict');
  const unknown = { deploymentId, destinationId: 'x'.repeat(20) };
  expect((await refusalOf(app.deployments.makePrimary(unknown))).code).toBe('not_found');

  app.netlify.world.takeSent();
  app.vercel.world.takeSent();
  const second = await app.publish({ id: deploymentId }, TWO);
  expect(second).toMatchObject({ state: 'live', destinations: [{ state: 'live' }, { state: 'live' }] });
  expect([await app.textAt(deploymentId, 'netlify'), await app.textAt(deploymentId, 'vercel')]).toEqual([
    TWO['index.html'],
    TWO['index.html'],
  ]);
  const { steps, furtherSteps } = await app.releases.get({ releaseId: second.id });
  expect(furtherSteps.map(({ destinationId }) => destinationId)).toEqual([other]);
  for (const one of [steps, ...furtherSteps.map((further) => further.steps)]) {
    expect(one.map(({ name, state }) => [name, state])).toEqual(RELEASE_STEPS.map((name) => [name, 'done']));
    expect(one.at(-1)?.log.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^https?:\/\/\S+ answered with release 2$/),
    );
  }
  // Each got the one file that changed.
  expect([app.netlify.world.takeSent(), app.vercel.world.takeSent()]).toEqual([1, 1]);

  await app.deployments.rollBack({ deploymentId, releaseId: first.id });
  await app.settle();
  expect(await app.deployments.get({ deploymentId })).toMatchObject({
    state: 'live',
    destinations: [{ state: 'live' }, { state: 'live' }],
  });
  expect([await app.textAt(deploymentId, 'netlify'), await app.textAt(deploymentId, 'vercel')]).toEqual([
    ONE['index.html'],
    ONE['index.html'],
  ]);
  expect([app.netlify.world.takeSent(), app.vercel.world.takeSent()]).toEqual([0, 0]);
});

test('a plan with one platform at a time moves a deployment: a roll back is sent anew, and another move waits for the end of this one', async () => {
  await using app = await createTwoPlatforms();
  const accountId = app.person.user.id;
  await SubscriptionModel.updateOne({ accountId }, { $set: { plan: 'BASIC', status: 'active' } });
  const { id: deploymentId } = await app.deployments.create({ name: 'Moving', platform: 'netlify' });
  const first = await app.publish({ id: deploymentId }, ONE);
  await app.publish({ id: deploymentId }, TWO);
  const move = (platform: PlatformId) => app.deployments.addDestination({ deploymentId, platform, isMove: true });
  const [old, moved] = (await move('vercel')).destinations.map(({ id }) => id);
  const tooEarly = await refusalOf(app.deployments.makePrimary({ deploymentId, destinationId: moved ?? '' }));
  expect(tooEarly.code).toBe('conflict');
  const unfinished = { code: 'conflict', message: expect.stringContaining('still on Vercel') };
  expect(await refusalOf(move('built-in'))).toMatchObject(unfinished);
  await app.settle();
  const primary = await app.deployments.makePrimary({ deploymentId, destinationId: moved ?? '' });
  expect(primary).toMatchObject({ platform: 'vercel', state: 'live', primaryId: moved });
  expect(primary.url).toBe(primary.destinations.find(({ id }) => id === moved)?.url);
  expect((await app.releases.get({ releaseId: first.id })).primaryId).toBe(old);
  expect((await app.deployments.list({ platform: 'vercel' })).items).toHaveLength(1);
  const stored = await DeploymentModel.findOne({ _id: deploymentId, accountId });
  expect([stored?.primaryId, stored?.destinations.map(({ _id }) => _id)]).toEqual([moved, [old, moved]]);
  expect(await refusalOf(move('built-in'))).toMatchObject({
    code: 'conflict',
    hint: 'Remove Netlify before you move it again.',
  });

  const removing = await app.deployments.removeDestination({ deploymentId, destinationId: old ?? '' });
  expect(removing.destinations.find(({ id }) => id === old)?.state).toBe('removing');
  await app.settle();
  const { destinations } = await app.deployments.get({ deploymentId });
  expect(destinations.map(({ platform, state }) => [platform, state])).toEqual([['vercel', 'live']]);
  expect([await app.netlify.world.countSites(), await app.vercel.world.countSites()]).toEqual([0, 1]);

  await app.deployments.rollBack({ deploymentId, releaseId: first.id });
  await app.settle();
  expect((await app.releases.get({ releaseId: first.id })).state).toBe('live');
  expect(await app.textAt(deploymentId, 'vercel')).toBe(ONE['index.html']);
  expect((await app.publish({ id: deploymentId }, TWO)).state).toBe('live');
  expect((await move('built-in')).destinations).toHaveLength(2);
  await SubscriptionModel.updateOne({ accountId }, { $set: { endsAt: new Date(0) } });
  expect((await refusalOf(move('netlify'))).code).toBe('plan_required');
});

test('platforms that come and go leave nothing in the release or the queue, and so many come an hour', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'Restless', platform: 'netlify' });
  const release = await app.publish({ id: deploymentId }, ONE);
  const add = () => app.deployments.addDestination({ deploymentId, platform: 'vercel' });
  for (let round = 0; round < 2; round += 1) {
    const destinationId = (await add()).destinations[1]?.id ?? '';
    await app.deployments.removeDestination({ deploymentId, destinationId, leaveSite: true });
  }
  const { destinations } = await app.releases.get({ releaseId: release.id });
  expect(destinations.map(({ platform }) => platform)).toEqual(['netlify']);
  const waiting = { status: 'queued' as const, name: 'publish', accountId: app.person.user.id };
  expect(await JobModel.countDocuments(waiting)).toBe(0);
  // Those of the hour.
  await addToCount({ name: 'added-destinations', key: app.person.user.id, windowMs: HOUR_MS, amount: 30 - 2 - 1 });
  await add();
  expect((await refusalOf(add())).code).toBe('rate_limited');
});

test("the platform's own log of a release is read where it keeps one", async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'Logged', platform: 'vercel' });
  const release = await app.publish({ id: deploymentId }, ONE);
  const { text } = await app.releases.platformLog({ releaseId: release.id });
  // Without the colours of a terminal, and what is no text.
  expect(text).toBe('Build started\nBuild completed');
  app.vercel.world.fail('state', { how: 'status', status: 503 }, 100);
  // Nobody tries it again for the person who asked.
  expect((await refusalOf(app.releases.platformLog({ releaseId: release.id }))).hint).toMatch(/^Try again\./);
  const { destinations } = await app.deployments.addDestination({ deploymentId, platform: 'netlify' });
  const destinationId = destinations[1]?.id ?? '';
  const refused = await refusalOf(app.releases.platformLog({ releaseId: release.id, destinationId }));
  expect(refused).toMatchObject({ code: 'conflict', message: 'Netlify has no log of this release.' });
});

test('several at once are for Pro and Beta: another plan is told so, and keeps what it has', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId, deployment } = await app.createOnBoth('Plans');
  await SubscriptionModel.updateOne(
    { accountId: app.person.user.id },
    { $set: { plan: 'STANDARD', status: 'active' } },
  );
  const refused = await refusalOf(app.deployments.addDestination({ deploymentId, platform: 'built-in' }));
  expect(refused).toMatchObject({ code: 'plan_required', message: expect.stringContaining('one platform at a time') });
  expect((await app.publish({ id: deploymentId }, TWO)).state).toBe('live');
  const { destinations } = await app.deployments.get({ deploymentId });
  expect(destinations.map(({ state }) => state)).toEqual(['live', 'failed']);
  expect(destinations[1]?.error).toMatchObject({
    code: 'plan_required',
    message: expect.stringContaining('one platform at a time'),
  });
  expect(await app.textAt(deploymentId, 'vercel'), 'it keeps what it has').toBe(ONE['index.html']);
  const destinationId = deployment.destinations[1]?.id ?? '';
  const again = await refusalOf(app.deployments.retryDestination({ deploymentId, destinationId }));
  expect(again).toMatchObject({ code: 'plan_required' });
  expect((await app.deployments.removeDestination({ deploymentId, destinationId })).destinations[1]?.state).toBe(
    'removing',
  );
});

test('a deployment that its platform gives the address takes no other one here, and holds none', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId, slug } = await app.deployments.create({ name: 'Elsewhere', platform: 'netlify' });
  const refused = await refusalOf(app.deployments.update({ deploymentId, slug: 'nowhere' }));
  expect(refused).toMatchObject({ code: 'conflict', field: 'slug', message: expect.stringContaining('Netlify') });
  expect((await app.deployments.update({ deploymentId, name: 'Still elsewhere', slug })).slug).toBe(slug);
  await app.deployments.addDestination({ deploymentId, platform: 'built-in' });
  expect((await app.deployments.update({ deploymentId, slug: 'here' })).slug).toBe('here');
});
