import { expect, test } from 'vitest';
import { EventModel } from '../../server/models/event.ts';
import { refusalOf } from '../support/refusal.ts';
import { createTwoPlatforms, ONE } from '../support/two-platforms.ts';

test('the built-in host is a platform among others: it serves as long as it is one of the destinations', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'At home', platform: 'netlify' });
  await app.publish({ id: deploymentId }, ONE);
  const { destinations } = await app.deployments.addDestination({ deploymentId, platform: 'built-in' });
  await app.settle();
  expect((await app.deployments.get({ deploymentId })).destinations[1]).toMatchObject({ state: 'live', error: null });
  expect((await app.visit('at-home')).text).toBe(ONE['index.html']);
  await app.deployments.removeDestination({ deploymentId, destinationId: destinations[1]?.id ?? '' });
  await app.settle();
  await expect.poll(async () => (await app.visit('at-home')).status).toBe(404);
});

test('removed, the deployment is gone at all of them', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId } = await app.createOnBoth('Gone');
  await app.deployments.remove({ deploymentId });
  await app.settle();
  expect((await refusalOf(app.deployments.get({ deploymentId }))).code).toBe('not_found');
  expect([await app.netlify.world?.countSites(), await app.vercel.world.countSites()]).toEqual([0, 0]);
});

test('a deployment is deleted also when its platforms let us in no more: its sites stay there, and its owner is told', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId, deployment } = await app.createOnBoth('Left behind');
  app.vercel.world.revoke();
  const { items } = await app.person.caller.connections.list();
  const connectionId = items.find(({ provider }) => provider === 'netlify')?.id ?? '';
  await app.person.caller.connections.remove({ connectionId });
  await app.deployments.remove({ deploymentId });
  await app.settle();
  expect((await refusalOf(app.deployments.get({ deploymentId }))).code).toBe('not_found');
  expect([await app.netlify.world?.countSites(), await app.vercel.world.countSites()]).toEqual([1, 1]);
  const [netlify, vercel] = deployment.destinations.map(({ url }) => url);
  const end = 'could not be taken off: Fairlead can no longer reach the account there. Delete the site at';
  const notices = await EventModel.find({ accountId: app.person.user.id, type: 'notification' });
  expect(notices.map(({ payload: { title, message } }) => [title, message]).sort()).toEqual([
    ['Left behind stays at Netlify', `${netlify} ${end} Netlify.`],
    ['Left behind stays at Vercel', `${vercel} ${end} Vercel.`],
  ]);
});

test('an account that cannot be reached any more is left as it is where that is asked for', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId, deployment, first } = await app.createOnBoth('Locked out');
  const destinationId = deployment.destinations[1]?.id ?? '';
  app.vercel.world.revoke();
  await app.deployments.removeDestination({ deploymentId, destinationId });
  await app.settle();
  const refused = await app.deployments.get({ deploymentId });
  expect(refused.destinations[1]).toMatchObject({ state: 'failed', error: { code: 'credentials_invalid' } });
  const left = await app.deployments.removeDestination({ deploymentId, destinationId, leaveSite: true });
  expect(left.destinations.map(({ platform }) => platform)).toEqual(['netlify']);
  expect(await app.vercel.world.countSites()).toBe(1);
  const { destinations } = await app.releases.get({ releaseId: first.id });
  expect(destinations.map(({ platform }) => platform)).toEqual(['netlify', 'vercel']);
});
