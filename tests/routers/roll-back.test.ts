import { expect, test } from 'vitest';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import type { Person } from '../support/app.ts';
import { FAST_PLATFORMS } from '../support/fast-timeouts.ts';
import { createPublishingApp, publish, storeLive } from '../support/publishing.ts';

const create = (person: Person, name: string) => person.caller.deployments.create({ name, platform: 'built-in' });

const servedUntilOf = async (person: Person, releaseId: string) =>
  (await ReleaseModel.findOne({ _id: releaseId, accountId: person.user.id }).orFail()).servedUntil;

test('a roll back is live without a new upload, and can be rolled forward again', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await create(person, 'Back');
  const one = await publish(app, person, deployment, { 'index.html': 'one' });
  const two = await publish(app, person, deployment, { 'index.html': 'two' });
  for (const [target, text] of [
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    expect(
      (await person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: target.id })).state,
    ).toBe('deploying');
    await app.jobs.drain();
    await expect.poll(async () => (await app.visit('back')).text).toBe(text);
    expect(await person.caller.deployments.get({ deploymentId: deployment.id })).toMatchObject({
      state: 'live',
      currentRelease: { id: target.id, state: 'live' },
      releaseCount: 2,
    });
  }
  const { items } = await person.caller.releases.list({ deploymentId: deployment.id });
  expect(items.map((release) => [release.number, release.state])).toEqual([
    [2, 'live'],
    [1, 'superseded'],
  ]);
  const verifying = (await person.caller.releases.get({ releaseId: two.id })).steps.at(-1);
  expect(verifying).toMatchObject({ name: 'verifying', state: 'done' });
  await expect(
    person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: two.id }),
  ).rejects.toMatchObject({ cause: { code: 'conflict' } });
});

test('after a roll back, what is published is compared with what visitors have', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await create(person, 'Compared');
  const one = await publish(app, person, deployment, { 'index.html': 'one', 'style.css': 'p {}' });
  await storeLive(app, deployment, { 'index.html': 'two', 'style.css': 'p {}' });
  await person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  await app.jobs.drain();
  expect((await person.caller.releases.get({ releaseId: one.id })).replaced).toMatchObject({ number: 2 });
  const three = await publish(app, person, deployment, { 'index.html': 'two', 'style.css': 'p {}' });
  expect(three.changedFiles).toBe(1);
  const diff = await person.caller.releases.diff({ releaseId: three.id });
  expect(diff).toMatchObject({ previousNumber: 1, changed: [{ path: 'index.html' }], counts: { changed: 1 } });
  const { steps, replaced } = await person.caller.releases.get({ releaseId: three.id });
  expect(replaced, 'what visitors had, to which an undo leads').toEqual({ id: one.id, number: 1 });
  expect(steps[0]?.log[0]?.text).toBe('2 files: 0 new, 1 changed, 0 removed since release 1');
  // What has travelled: the one that visitors did not have.
  expect(steps[1]).toMatchObject({ done: 2, total: 2, doneBytes: 7, doneBefore: 1, doneBytesBefore: 4 });
});

test('a roll back stays in the history, with who did it, when, and from which release to which', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await create(person, 'Traced');
  const { get, rollBack } = person.caller.deployments;
  const { list } = person.caller.releases;
  const one = await publish(app, person, deployment, { 'index.html': 'one' });
  const first = (await get({ deploymentId: deployment.id })).currentRelease;
  expect(first?.liveSince).toEqual(first?.finishedAt);
  await storeLive(app, deployment, { 'index.html': 'two' });
  await rollBack({ deploymentId: deployment.id, releaseId: one.id });
  expect((await list()).rollBacks).toMatchObject([{ state: 'running', endedAt: null }]);
  await app.jobs.drain();

  const trace = {
    deploymentName: 'Traced',
    fromNumber: 2,
    toNumber: 1,
    createdBy: person.user.username,
    state: 'done',
  };
  const page = await list({ deploymentId: deployment.id, limit: 1 });
  // Which of the two is later is told with the page, also where the live one is not on it.
  expect(page).toMatchObject({ items: [{ number: 2, servingNumber: 1 }], rollBacks: [trace] });
  expect((await list({ limit: 1 })).rollBacks).toMatchObject([trace]);
  const [noted] = page.rollBacks;
  const current = (await get({ deploymentId: deployment.id })).currentRelease;
  expect(current).toMatchObject({ number: 1, liveSince: noted?.endedAt, finishedAt: first?.finishedAt });
  // The page of the release tells it as long as the history does.
  const { steps: shown } = await person.caller.releases.get({ releaseId: one.id });
  expect(shown.at(-1)).toMatchObject({ startedAt: noted?.createdAt, endedAt: noted?.endedAt });

  // It belongs to the time after release 2: neither to the page before that, nor to the releases of one state.
  const next = await list({ deploymentId: deployment.id, limit: 1, cursor: page.nextCursor ?? '' });
  expect(next).toMatchObject({ items: [{ number: 1 }], rollBacks: [] });
  const ofAll = await list({ limit: 1, cursor: (await list({ limit: 1 })).nextCursor ?? '' });
  expect(ofAll).toMatchObject({ items: [{ number: 1 }], rollBacks: [] });
  expect((await list({ state: 'live' })).rollBacks).toEqual([]);
  expect(await list({ state: 'rolled_back' })).toMatchObject({ items: [], rollBacks: [trace], nextCursor: null });
  await rollBack({ deploymentId: deployment.id, releaseId: page.items[0]?.id ?? '' });
  const latest = await list({ state: 'rolled_back', deploymentId: deployment.id, limit: 1 });
  expect(latest.rollBacks).toMatchObject([{ fromNumber: 1, toNumber: 2 }]);
  const earlier = await list({ state: 'rolled_back', limit: 1, cursor: latest.nextCursor ?? '' });
  expect(earlier).toMatchObject({ items: [], rollBacks: [trace], nextCursor: null });
  expect((await (await app.trialPerson()).caller.releases.list()).rollBacks).toEqual([]);
});

test('a roll back that cannot be seen live puts the pointer back and says why', async () => {
  await using app = await createPublishingApp({ providers: { platforms: FAST_PLATFORMS } });
  const person = await app.trialPerson();
  const deployment = await create(person, 'Stuck');
  const one = await publish(app, person, deployment, { 'index.html': 'one' });
  const two = await storeLive(app, deployment, { 'index.html': 'two' });
  await person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  const { sitesListener } = app.providers.addresses;
  const { port } = sitesListener;
  // Nobody answers there: what is public cannot be looked at.
  sitesListener.port = 1;
  await app.jobs.drain();
  sitesListener.port = port;
  expect(await person.caller.releases.get({ releaseId: one.id })).toMatchObject({
    state: 'superseded',
    error: { code: 'verification_failed' },
  });
  expect((await person.caller.releases.list()).rollBacks).toMatchObject([
    { fromNumber: 2, toNumber: 1, state: 'failed' },
  ]);
  expect(await person.caller.deployments.get({ deploymentId: deployment.id })).toMatchObject({
    state: 'live',
    currentRelease: { id: two.id },
  });
  await expect.poll(async () => (await app.visit('stuck')).text).toBe('two');
  // A visitor who has loaded a page of it meanwhile still asks for its files.
  expect(await servedUntilOf(person, one.id)).toBeInstanceOf(Date);
  expect(await servedUntilOf(person, two.id)).toBeNull();
});
