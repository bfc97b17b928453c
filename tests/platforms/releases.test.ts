import { expect, test } from 'vitest';
import { PublicationModel } from '../../server/database/models/publishing/publication.ts';
import { createPlatformApp, ONE, TWO } from '../support/platform-app.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

test('a release is published there, and seen live at the address that the platform gave', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const deployment = await app.create('Far away');
  expect(deployment).toMatchObject({ platform: 'netlify', url: '' });
  const release = await app.publish(deployment, ONE);
  expect(release).toMatchObject({ state: 'live', error: null });
  expect(await app.textAt(release.url)).toBe(ONE['index.html']);
  expect(await app.textAt(release.previewUrl, '/style.css')).toBe('p {}');
  expect(await app.deployments.get({ deploymentId: deployment.id })).toMatchObject({ state: 'live', url: release.url });
  // The built-in host knows nothing of it.
  expect((await app.visit('far-away')).status).toBe(404);
});

test('a site is called there as its deployment is, whoever has the name here, also after it was renamed', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const here = await app.deployments.create({ name: 'Harbour cafe', platform: 'built-in' });
  const there = await app.create('Harbour cafe');
  expect(there.slug).toBe('harbour-cafe-2');
  await app.deployments.update({ deploymentId: there.id, name: 'Harbour bar' });
  expect(new URL((await app.publish(there, ONE)).url).hostname).toMatch(/^harbour-cafe\./);
  await app.publish(here, ONE);
  await app.deployments.addDestination({ deploymentId: here.id, platform: 'netlify' });
  await app.settle();
  const { destinations } = await app.deployments.get({ deploymentId: here.id });
  // There it is taken.
  expect(new URL(destinations[1]?.url ?? '').hostname).toMatch(/^harbour-cafe-[^.]+\./);
});

test('a platform that answers a name without measure fails the release, and nothing of it is kept', async () => {
  await using app = await createPlatformApp(netlifyUnderTest, {
    change: (platform) => ({
      ...platform,
      async *publish() {
        yield { type: 'ref', ref: { id: 'x'.repeat(40_000) } };
        return {};
      },
    }),
  });
  const release = await app.publish(await app.create('Long name'), ONE);
  expect(release).toMatchObject({
    state: 'failed',
    error: { code: 'platform_failed', message: expect.stringContaining('an identifier that is too long') },
  });
  const stored = await PublicationModel.findOne({ releaseId: release.id, accountId: app.person.user.id });
  expect(stored?.ref).toBeNull();
});

test('where a release has no address of its own, the earlier one is rolled back to as well, and nothing is sent', async () => {
  await using app = await createPlatformApp(githubUnderTest);
  const deployment = await app.create('Back');
  const one = await app.publish(deployment, ONE);
  const two = await app.publish(deployment, TWO);
  expect([one.state, two.state]).toEqual(['live', 'live']);
  const files = Object.keys(ONE).length;
  expect(one.steps.find(({ name }) => name === 'verifying')).toMatchObject({ done: files, total: files });
  app.world.takeSent();
  await app.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  expect((await app.settled(one)).state).toBe('live');
  expect((await app.settled(two)).state).toBe('superseded');
  expect(await app.textAt(one.url)).toBe(ONE['index.html']);
  expect(app.world.takeSent()).toBe(0);
});

test('a roll back that the platform refuses leaves what was live, and says why', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const deployment = await app.create('No way back');
  const one = await app.publish(deployment, ONE);
  await app.publish(deployment, TWO);
  app.world.fail('restore', { how: 'status', status: 402, body: { message: 'Older releases cost extra' } });
  await app.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  const refused = await app.settled(one);
  expect(refused.state).toBe('superseded');
  expect(refused.error?.message).toContain('Netlify asks for a payment');
  expect(refused.error?.message).toContain('Older releases cost extra');
  expect(await app.textAt(one.url)).toBe(TWO['index.html']);
  const { state, currentRelease, destinations } = await app.deployments.get({ deploymentId: deployment.id });
  expect([state, currentRelease?.number]).toEqual(['live', 2]);
  expect(destinations).toMatchObject([{ state: 'live', error: { message: refused.error?.message } }]);

  app.world.heal();
  const again = await app.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  expect(again.destinations, 'the reason of the last try is over').toMatchObject([
    { state: 'publishing', error: null },
  ]);
  expect((await app.settled(one)).state).toBe('live');
});

test('what the platform cannot take fails before it is asked for anything, by the name of the file', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const before = app.standIn.requests.length;
  const release = await app.publish(await app.create('Too odd'), { ...ONE, 'c#.html': 'c' });
  expect(release.state).toBe('failed');
  expect(release.error).toMatchObject({ code: 'content_refused', message: expect.stringContaining('c#.html') });
  expect(app.standIn.requests).toHaveLength(before);
});

test('a roll back is seen in the first look where the platform names an address only while it leads there', async () => {
  await using app = await createPlatformApp(vercelUnderTest);
  const deployment = await app.create('Straight back');
  const one = await app.publish(deployment, ONE);
  await app.publish(deployment, TWO);
  await app.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  await app.jobs.drain();
  expect(await app.releases.get({ releaseId: one.id })).toMatchObject({ state: 'live', error: null });
  expect(await app.textAt(one.url)).toBe(ONE['index.html']);
});
