import { expect, test } from 'vitest';
import { ReleaseModel } from '../../server/models/release.ts';
import { UserModel } from '../../server/models/user.ts';
import { createTestApp } from '../support/app.ts';
import { makeDue } from '../support/make-due.ts';
import { refusalOf } from '../support/refusal.ts';
import { createSimulatedApp } from '../support/simulated-app.ts';
import { simulated } from '../support/standins/simulated/index.ts';

const ONE = { 'index.html': '<h1>one</h1>', 'style.css': 'p {}', '404.html': 'gone' };
const TWO = { ...ONE, 'index.html': '<h1>two</h1>' };

test('no deployment is made on the simulated platform where nothing simulates it', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const refused = await refusalOf(person.caller.deployments.create({ name: 'played', platform: 'simulated' }));
  expect(refused).toMatchObject({ code: 'platform_unavailable', field: 'platform' });
});

test('a release is published there, seen live at the address that the platform gave, and counts in no plan', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Far away');
  expect(deployment).toMatchObject({ platform: 'simulated', url: '' });
  const release = await app.publish(deployment, ONE);
  expect(release).toMatchObject({ state: 'live', error: null });
  expect((await app.look(release.url)).text).toBe(ONE['index.html']);
  expect((await app.look(release.previewUrl, '/style.css')).text).toBe('p {}');
  expect(await app.person.caller.deployments.get({ deploymentId: deployment.id })).toMatchObject({
    state: 'live',
    url: release.url,
  });
  expect((await UserModel.findById(app.person.user.id))?.deploymentCount).toBe(0);
  // The built-in host knows nothing of it.
  expect((await app.visit('far-away')).status).toBe(404);
});

test('a platform that answers a name without measure fails the release, and nothing of it is kept', async () => {
  await using app = await createSimulatedApp((apiUrl) => ({
    ...simulated.upload(apiUrl),
    async *publish() {
      yield { type: 'ref', ref: { id: 'x'.repeat(40_000) } };
      return {};
    },
  }));
  const release = await app.publish(await app.create('Long name'), ONE);
  expect(release).toMatchObject({
    state: 'failed',
    error: { code: 'platform_failed', message: expect.stringContaining('a name that is too long') },
  });
  const stored = await ReleaseModel.findOne({ _id: release.id, accountId: app.person.user.id });
  expect(stored?.destinations[0]?.ref).toBeNull();
});

test('the next release sends what has changed, to the same site', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Again');
  await app.publish(deployment, ONE);
  const before = app.vendor.requests.length;
  const release = await app.publish(deployment, TWO);
  expect(release.state).toBe('live');
  const sent = app.vendor.requests.slice(before).filter(({ step }) => step === 'upload');
  expect(sent.map(({ sizeBytes }) => sizeBytes)).toEqual([TWO['index.html'].length]);
  expect(await app.countSites()).toBe(1);
  expect((await app.look(release.url)).text).toBe(TWO['index.html']);
});

test.each([
  ['upload', simulated.upload],
  ['Git', simulated.viaGit],
])('by %s: rolled back, the earlier release is what visitors see, and nothing is sent', async (_play, platform) => {
  await using app = await createSimulatedApp(platform);
  const deployment = await app.create('Back');
  const one = await app.publish(deployment, ONE);
  const two = await app.publish(deployment, TWO);
  expect([one.state, two.state]).toEqual(['live', 'live']);
  const before = app.vendor.requests.length;
  await app.person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  await app.jobs.drain();
  expect((await app.person.caller.releases.get({ releaseId: one.id })).state).toBe('live');
  expect((await app.person.caller.releases.get({ releaseId: two.id })).state).toBe('superseded');
  expect((await app.look(one.url)).text).toBe(ONE['index.html']);
  expect(app.vendor.requests.slice(before).map(({ step }) => step)).not.toContain('upload');
});

test('a roll back that the platform refuses leaves what was live, and says why', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('No way back');
  const one = await app.publish(deployment, ONE);
  await app.publish(deployment, TWO);
  app.vendor.fail('restore', { how: 'status', status: 402, body: { message: 'Older releases cost extra' } });
  await app.person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  await app.jobs.drain();
  const refused = await app.person.caller.releases.get({ releaseId: one.id });
  expect(refused.state).toBe('superseded');
  expect(refused.error?.message).toContain('Simulated platform asks for a payment');
  expect(refused.error?.message).toContain('Older releases cost extra');
  expect((await app.look(one.url)).text).toBe(TWO['index.html']);
  const { state, currentRelease } = await app.person.caller.deployments.get({ deploymentId: deployment.id });
  expect([state, currentRelease?.number]).toEqual(['live', 2]);
});

test('what is too much for the platform fails before it is asked for anything, by the name of the file', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Too much');
  const release = await app.publish(deployment, { ...ONE, 'film.mp4': 'x'.repeat(1024 * 1024 + 1) });
  expect(release.state).toBe('failed');
  expect(release.error).toMatchObject({ code: 'content_refused', message: expect.stringContaining('film.mp4') });
  expect(app.vendor.requests).toEqual([]);
});

test('removed, the site is taken away there, and a second time changes nothing', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Gone');
  const { url } = await app.publish(deployment, ONE);
  app.vendor.fail('remove', { how: 'late' });
  await app.person.caller.deployments.remove({ deploymentId: deployment.id });
  await app.jobs.drain();
  expect(await app.countSites()).toBe(0);
  expect((await app.look(url)).status).toBe(404);
  expect((await refusalOf(app.person.caller.deployments.get({ deploymentId: deployment.id }))).code).toBe('not_found');
  expect((await UserModel.findById(app.person.user.id))?.deploymentCount).toBe(0);
});

test('a hand-off tells what to do, holds no worker and no attempt, and goes live when the person has done it', async () => {
  await using app = await createSimulatedApp(simulated.handOff);
  const deployment = await app.create('By hand');
  const started = await app.start(deployment, ONE);
  for (let look = 0; look < 7; look += 1) {
    await makeDue();
    await app.jobs.drain();
  }
  const waiting = await app.person.caller.releases.get({ releaseId: started.id });
  expect(waiting).toMatchObject({ state: 'processing', error: null });
  const log = waiting.steps.find(({ name }) => name === 'processing')?.log.map(({ text }) => text) ?? [];
  expect(log.filter((line) => line.includes('under the name by-hand'))).toHaveLength(1);
  expect(log.at(-1)).toBe('Waiting for you');
  expect(log).not.toContain('Continued after an interruption');

  await app.vendor.publishByHand(
    'by-hand',
    new Map(Object.entries(ONE).map(([path, text]) => [path, Buffer.from(text)])),
  );
  const live = await app.settle(started);
  expect(live).toMatchObject({ state: 'live', previewUrl: '' });
  expect((await app.look(live.url)).text).toBe(ONE['index.html']);
});
