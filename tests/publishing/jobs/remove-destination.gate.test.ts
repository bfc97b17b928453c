import { expect, test } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { DeploymentModel } from '../../../server/database/models/publishing/deployment.ts';
import { makeDue } from '../../support/make-due.ts';
import { createPlatformApp, ONE } from '../../support/platform-app.ts';
import { refusalOf } from '../../support/refusal.ts';
import { githubUnderTest } from '../../support/standins/github-pages/world.ts';
import { createTwoPlatforms } from '../../support/two-platforms.ts';

async function noticesTo(person: { user: { id: string } }): Promise<unknown[]> {
  const notices = await EventModel.find({ accountId: person.user.id, type: 'notification' }).comment('test');
  return notices.map(({ payload: { title, message } }) => [title, message]);
}

test('what a token may not delete is named with its address, at the end of a destination and of a deployment', async () => {
  await using app = await createPlatformApp(githubUnderTest);
  const { deployments, standIn } = app;
  const { id: ending } = await deployments.create({ name: 'Ending', platform: 'built-in' });
  await app.publish({ id: ending }, ONE);
  const options = { publicFiles: true };
  const { destinations } = await deployments.addDestination({
    deploymentId: ending,
    platform: 'github-pages',
    options,
  });
  const { id: deleted } = await app.create('Deleted');
  await app.publish({ id: deleted }, ONE);
  standIn.state.scopes = 'repo';
  await deployments.removeDestination({ deploymentId: ending, destinationId: destinations[1]?.id ?? '' });
  await deployments.remove({ deploymentId: deleted });
  await app.settle();
  expect((await refusalOf(deployments.get({ deploymentId: deleted }))).code).toBe('not_found');
  expect((await deployments.get({ deploymentId: ending })).destinations).toHaveLength(1);
  const told = (name: string, slug: string) => [
    `${name} is offline, but its files are still there`,
    `https://github.com/pat/${slug} stays: Fairlead is not allowed to delete it. Delete it there when you no longer need it.`,
  ];
  expect(await noticesTo(app.person)).toEqual(
    expect.arrayContaining([told('Ending', 'ending'), told('Deleted', 'deleted')]),
  );
});

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

test('a deployment is deleted also when its platforms let us in no more: its sites stay there, and its owner is told', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId, deployment } = await app.createOnBoth('Left behind');
  app.vercel.world.revoke();
  // As where a site is built from a repository that was made for it.
  const made = { 'destinations.1.site.repository': 'pat/left-behind', 'destinations.1.site.isMade': true };
  await DeploymentModel.updateOne({ _id: deploymentId, accountId: app.person.user.id }, { $set: made });
  const { items } = await app.person.caller.connections.list();
  const connectionId = items.find(({ provider }) => provider === 'netlify')?.id ?? '';
  await app.person.caller.connections.remove({ connectionId });
  await app.deployments.remove({ deploymentId });
  await app.settle();
  expect((await refusalOf(app.deployments.get({ deploymentId }))).code).toBe('not_found');
  expect([await app.netlify.world.countSites(), await app.vercel.world.countSites()]).toEqual([1, 1]);
  const [netlify, vercel] = deployment.destinations.map(({ url }) => url);
  const end = 'could not be removed: Fairlead can no longer reach the account there. Delete the site at';
  const notices = await EventModel.find({ accountId: app.person.user.id, type: 'notification' }).comment('test');
  expect(notices.map(({ payload: { title, message } }) => [title, message]).sort()).toEqual([
    ['Left behind stays at Netlify', `${netlify} ${end} Netlify.`],
    ['Left behind stays at Vercel', `${vercel} ${end} Vercel and its repository pat/left-behind at Vercel.`],
  ]);

  // A notice on the screen goes by itself: this one stays until it was read.
  const { items: left } = await app.deployments.leftSites();
  expect(left.map(({ title, url }) => [title, url]).sort()).toEqual([
    ['Left behind stays at Netlify', netlify],
    ['Left behind stays at Vercel', vercel],
  ]);
  const [read, unread] = left;
  await app.deployments.dismissLeftSite({ id: read?.id ?? '' });
  expect(await app.deployments.leftSites()).toEqual({ items: [unread] });
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
  expect(await noticesTo(app.person)).toContainEqual([
    'Locked out stays at Vercel',
    `${deployment.destinations[1]?.url} was left as it is. When you no longer need it, delete the site at Vercel.`,
  ]);
  expect(await app.vercel.world.countSites()).toBe(1);
  const { destinations } = await app.releases.get({ releaseId: first.id });
  expect(destinations.map(({ platform }) => platform)).toEqual(['netlify', 'vercel']);
});

test('a platform that refuses a deletion is shown with what it said and what to do, and is asked again', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId } = await app.createOnBoth('Held back');
  const { world } = app.vercel;
  world.fail('remove', { how: 'status', status: 503, body: { error: { message: 'We are moving house.' } } }, 1_000);
  await app.deployments.remove({ deploymentId });
  await app.jobs.drain();
  await makeDue();
  await app.jobs.drain();

  const { state, destinations } = await app.deployments.get({ deploymentId });
  expect(state).toBe('deleting');
  expect(destinations.map((one) => [one.platform, one.state])).toEqual([
    ['netlify', 'removed'],
    ['vercel', 'removing'],
  ]);
  expect(destinations[1]?.error).toMatchObject({ code: 'platform_down', hint: expect.stringContaining('Vercel') });
  expect(destinations[1]?.error?.message).toContain('We are moving house.');
  const notices = await EventModel.find({ accountId: app.person.user.id, type: 'notification' }).comment('test');
  const titles = notices.map(({ payload: { title } }) => title);
  expect(titles.filter((title) => title === 'Held back is still at Vercel')).toHaveLength(1);

  world.heal();
  await app.deployments.remove({ deploymentId });
  await app.jobs.drain();
  expect((await refusalOf(app.deployments.get({ deploymentId }))).code).toBe('not_found');
  expect([await app.netlify.world.countSites(), await world.countSites()]).toEqual([0, 0]);
});

test('a site that its platform does not let us take down is left there when its owner says so, and only then', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'Not allowed', platform: 'vercel' });
  const { url } = await app.publish({ id: deploymentId }, ONE);
  app.vercel.world.fail('remove', { how: 'status', status: 403 }, 1_000);
  await app.deployments.remove({ deploymentId });
  await app.jobs.drain();
  const deleting = await app.deployments.get({ deploymentId });
  expect([deleting.destinations[0]?.error?.code, deleting.leavesSites]).toEqual(['permission_missing', undefined]);

  await app.deployments.remove({ deploymentId, leaveSite: true });
  expect(await app.deployments.get({ deploymentId })).toMatchObject({ leavesSites: true });
  await app.jobs.drain();
  expect((await refusalOf(app.deployments.get({ deploymentId }))).code).toBe('not_found');
  expect(await app.vercel.world.countSites()).toBe(1);
  const notices = await EventModel.find({ accountId: app.person.user.id, type: 'notification' }).comment('test');
  expect(notices.map(({ payload: { message } }) => message)).toContain(
    `${url} was left as it is. When you no longer need it, delete the site at Vercel.`,
  );
});

test('the site of a live deployment is left at its platform where its owner says so at once', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.deployments.create({ name: 'Moved on', platform: 'netlify' });
  await app.publish({ id: deploymentId }, ONE);
  await app.deployments.remove({ deploymentId, leaveSite: true });
  await app.settle();
  expect((await refusalOf(app.deployments.get({ deploymentId }))).code).toBe('not_found');
  expect(await app.netlify.world.countSites()).toBe(1);
});

test('the deletion of an account does not wait for a permission that nobody can give any more', async () => {
  await using app = await createTwoPlatforms();
  const { id } = await app.deployments.create({ name: 'Orphan', platform: 'vercel' });
  await app.publish({ id }, ONE);
  app.vercel.world.fail('remove', { how: 'status', status: 403 }, 1_000);
  const { user, password, caller } = app.person;
  await caller.account.delete({ username: user.username, currentPassword: password });
  await app.settle();
  expect(await UserModel.exists({ _id: user.id })).toBeNull();
  expect(await app.vercel.world.countSites()).toBe(1);
});

test('the site that a failed first release has made is known, and goes with its deployment', async () => {
  await using app = await createTwoPlatforms();
  const { id: deploymentId } = await app.create('Never switched on');
  app.world.fail('upload', { how: 'status', status: 422 }, 1_000);
  expect((await app.publish({ id: deploymentId }, ONE)).state).toBe('failed');
  expect(await app.world.countSites()).toBe(1);
  const { destinations } = await app.deployments.get({ deploymentId });
  expect(destinations).toMatchObject([{ platform: 'netlify', url: '', mayHaveSite: true }]);
  app.world.heal();
  await app.deployments.remove({ deploymentId });
  await app.settle();
  expect(await app.world.countSites()).toBe(0);
});
