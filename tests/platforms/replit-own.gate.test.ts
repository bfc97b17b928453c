import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addToCount } from '../../server/account/rate-limit.ts';
import type { Providers } from '../../server/context.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { HOUR_MS } from '../../server/lib/durations.ts';
import { type Egress, EgressError } from '../../server/lib/egress/egress.ts';
import { replit } from '../../server/publishing/platforms/replit/index.ts';
import { openDownload } from '../../server/publishing/releases/index.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { makeDue } from '../support/make-due.ts';
import { createPlatformApp } from '../support/platform-app.ts';
import { platformHarness } from '../support/platform-harness.ts';
import { testEgress } from '../support/platforms.ts';
import { contextOf } from '../support/publishing.ts';
import { BOUNDARIES, diesAt } from '../support/publishing-that-dies.ts';
import { readZip } from '../support/read-zip.ts';
import { refusalOf } from '../support/refusal.ts';
import { IS_FULL } from '../support/size.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { replitUnderTest, startReplit } from '../support/standins/replit/world.ts';

const FILES = { 'index.html': '<h1>one</h1>', 'docs/a.txt': 'a' };
const NOBODY = 'https://nobody.replit.app';

/** A release that waits for its person. */
async function onReplit(providers: Partial<Providers> = {}) {
  const app = await createPlatformApp(replitUnderTest, { providers });
  const { releases } = app;
  const deployment = await app.create('By hand');
  const release = await app.start(deployment, FILES);
  await app.jobs.drain();
  const releaseId = release.id;
  return {
    ...app,
    there: app.standIn,
    caller: app.person.caller,
    deployment,
    releaseId,
    read: () => releases.get({ releaseId }),
    confirm: (url: string) => releases.confirm({ releaseId, url }),
  };
}

test('a release waits for the person, who is told each step and given an archive that is ready to import', async () => {
  await using on = await onReplit();
  // None of them is one of the attempts that a job has.
  for (let look = 0; look < 2; look += 1) {
    await makeDue();
    await on.jobs.drain();
    const open = { status: 'queued' as const, name: 'publish', accountId: on.person.user.id };
    expect((await JobModel.findOne(open))?.attempt).toBe(0);
  }
  const waiting = await on.read();
  expect(waiting).toMatchObject({ state: 'processing', error: null, destinations: [{ state: 'waiting' }] });
  for (const asked of [{ state: 'waiting' as const }, { needsCare: true as const }]) {
    expect((await on.deployments.list(asked)).items).toMatchObject([
      { id: on.deployment.id, state: 'deploying', destinations: [{ state: 'waiting' }] },
    ]);
  }
  expect((await on.releases.list({ state: 'waiting' })).items).toMatchObject([{ id: on.releaseId }]);
  const log = waiting.steps.flatMap((step) => step.log.map(({ text }) => text));
  expect(log.filter((text) => text.startsWith('Waiting for you'))).toHaveLength(1);
  expect(log).not.toContain('Continued after an interruption');
  const { archive, steps } = await on.caller.releases.handOff({ releaseId: on.releaseId });
  expect(archive.url).toMatch(/^\/api\/releases\/[a-z0-9]+\/download\?ticket=/);
  expect(steps.map(({ text }) => text).join(' ')).toMatch(/Download.*import.*Publish.*Static.*Check now/);
  expect(steps.flatMap(({ url }) => url ?? [])).toEqual(['https://replit.com/import']);
  const { actor } = await contextOf(on, on.person);
  const download = await openDownload(on.providers, actor.accountId, on.releaseId);
  const pieces: Uint8Array[] = [];
  for await (const piece of download.body(new AbortController().signal)) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  expect(bytes.length).toBe(download.sizeBytes);
  const { files } = await readZip(bytes, ['.replit']);
  expect([...files.keys()].toSorted()).toEqual(['.replit', 'docs/a.txt', 'index.html']);
  expect(files.get('.replit')?.toString()).toContain('deploymentTarget = "static"');
});

test('an address that is none of the public web, or does not exist, is refused, and so many are looked at in an hour', async () => {
  const { request } = testEgress();
  const unknown = new EgressError('unknown_name', 'this address does not exist');
  const egress: Egress = {
    request: (url, ...rest) => (url === NOBODY ? Promise.reject(unknown) : request(url, ...rest)),
  };
  await using on = await onReplit({ egress });
  const message = 'This address does not exist.';
  expect(await refusalOf(on.confirm(NOBODY))).toMatchObject({
    ...{ code: 'validation_failed', message, fieldErrors: { url: message } },
    hint: expect.stringContaining('https://name.replit.app'),
  });
  for (const url of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'https://[fd00::1]/',
    'ftp://name.replit.app',
    'https://user:secret@name.replit.app',
    'no address',
  ]) {
    const refused = await refusalOf(on.confirm(url));
    expect(refused, url).toMatchObject({ code: 'validation_failed', fieldErrors: { url: expect.any(String) } });
    expect(await on.read(), url).toMatchObject({ state: 'processing', destinations: [{ state: 'waiting' }] });
  }
  // Those of the hour but one.
  const looks = { name: 'address-looks', key: on.person.user.id, windowMs: HOUR_MS };
  await addToCount({ ...looks, amount: 120 - 7 - 1 });
  expect((await refusalOf(on.confirm('http://10.0.0.1/'))).code).toBe('validation_failed');
  expect((await refusalOf(on.confirm('http://10.0.0.1/'))).code).toBe('rate_limited');
});

test('it is live once all files are seen at the address, and not while others are, however often it is confirmed', async () => {
  await using on = await onReplit();
  const url = on.there.publishByHand('by-hand', { 'index.html': 'another site' });
  for (let time = 0; time < 2; time += 1) {
    const looked = { destinations: [{ state: 'publishing', error: null }] };
    expect(await on.confirm(`${url}/?from=mail`)).toMatchObject(looked);
    expect(await on.deployments.get({ deploymentId: on.deployment.id })).toMatchObject(looked);
    await on.jobs.drain();
    const error = { message: `The start page at ${url} is not the one of this release.` };
    expect(await on.read()).toMatchObject({ state: 'processing', destinations: [{ state: 'waiting', error }] });
  }
  const open = { status: 'queued' as const, name: 'publish', accountId: on.person.user.id };
  expect(await JobModel.countDocuments(open)).toBe(1);
  const log = (await on.read()).steps.flatMap((step) => step.log.map(({ text }) => text)).join('\n');
  expect(log).toContain(`The start page at ${url} is not the one of this release`);

  // An entry page that is there does not hide a file that is not.
  on.there.publishByHand('by-hand', { 'index.html': FILES['index.html'] });
  await on.confirm(url);
  await on.jobs.drain();
  expect((await on.read()).state).not.toBe('live');

  on.there.publishByHand('by-hand', FILES);
  const live = await on.settled({ id: on.releaseId });
  expect(live).toMatchObject({ state: 'live', url, destinations: [{ state: 'live', url, error: null }] });
  expect((await on.deployments.list({ state: 'waiting' })).items).toEqual([]);
  expect((await on.releases.list({ state: 'waiting' })).items).toEqual([]);
  expect((await refusalOf(on.confirm(url))).code).toBe('conflict');
  expect((await refusalOf(on.caller.releases.handOff({ releaseId: on.releaseId }))).code).toBe('conflict');
});

test('a further release replaces the files of the app that is there, going back is told, and the app stays there', async () => {
  await using on = await onReplit();
  const deploymentId = on.deployment.id;
  const url = on.there.publishByHand('by-hand', FILES);
  await on.confirm(url);
  expect((await on.settled({ id: on.releaseId })).state).toBe('live');
  const further = { ...FILES, 'index.html': '<h1>two</h1>' };
  const { id: releaseId } = await on.start(on.deployment, further);
  await on.jobs.drain();
  const { steps, address } = await on.releases.handOff({ releaseId });
  expect(address).toBe(url);
  const texts = steps.map(({ text }) => text).join(' ');
  expect(texts).toMatch(/Download release 2.*Replace the files of your app.*Republish.*Check now/);
  expect(texts).not.toContain('import');
  on.there.publishByHand('by-hand', further);
  await on.releases.confirm({ releaseId, url });
  expect((await on.settled({ id: releaseId })).state).toBe('live');
  expect(await refusalOf(on.deployments.rollBack({ deploymentId, releaseId: on.releaseId }))).toMatchObject({
    message: 'Replit cannot roll back to an earlier release.',
    hint: expect.stringContaining('publish its files again'),
  });

  await on.deployments.remove({ deploymentId });
  await on.jobs.drain();
  const heard = await EventModel.find({ accountId: on.person.user.id, type: 'notification' }).comment('test');
  expect(heard.at(-1)?.payload).toMatchObject({
    title: 'By hand stays at Replit',
    message: `${url} was left as it is. When you no longer need it, delete the site at Replit.`,
  });
});

test('beside another platform it waits for the person as well, and is live once they have published there', async () => {
  await using app = await createPlatformApp(replitUnderTest);
  const { deployments, releases, standIn: there } = app;
  const { id: deploymentId } = await deployments.create({ name: 'Both', platform: 'built-in' });
  const { id: releaseId } = await app.publish({ id: deploymentId }, FILES);
  await deployments.addDestination({ deploymentId, platform: 'replit' });
  await app.jobs.drain();
  const second = async () => (await deployments.get({ deploymentId })).destinations[1];
  expect(await second()).toMatchObject({ platform: 'replit', state: 'waiting', error: null });
  const handOff = await releases.handOff({ releaseId });
  expect([handOff.steps.length, handOff.address]).toEqual([4, '']);

  const url = there.publishByHand('both', { 'index.html': 'another site' });
  await releases.confirm({ releaseId, url });
  expect(await second()).toMatchObject({ state: 'publishing' });
  await app.jobs.drain();
  const message = `The start page at ${url} is not the one of this release.`;
  expect(await second()).toMatchObject({ state: 'waiting', error: { message } });
  expect((await releases.handOff({ releaseId })).address).toBe(url);

  there.publishByHand('both', FILES);
  await releases.confirm({ releaseId, url });
  await app.jobs.drain();
  expect(await second()).toMatchObject({ state: 'live', url, error: null });
  expect((await refusalOf(releases.confirm({ releaseId, url }))).code).toBe('conflict');
  expect((await refusalOf(releases.handOff({ releaseId }))).code).toBe('conflict');
});

test('what was begun under a plan is finished by hand after it has ended', async () => {
  await using on = await onReplit();
  await SubscriptionModel.updateOne({ accountId: on.person.user.id }, { $set: { endsAt: new Date(0) } });
  expect(await on.caller.subscription.allowance()).toMatchObject({ plan: 'free', writableIds: [] });
  expect((await on.caller.releases.handOff({ releaseId: on.releaseId })).steps).toHaveLength(4);

  const url = on.there.publishByHand('by-hand', FILES);
  await on.confirm(url);

  expect(await on.settled({ id: on.releaseId })).toMatchObject({ state: 'live', url });
});

/** The first has no site to name, since its person makes it. */
const HELD_BOUNDARIES = IS_FULL ? BOUNDARIES.slice(1) : ['processing:end'];
/** Boundaries that a release comes to once its person has published it. */
const AFTER_ITS_PERSON = /^(processing:end|verifying:)/;

test('killed at a boundary, before its person has published or after that, the next worker ends it live', async () => {
  await using app = await createPlatformApp(replitUnderTest);
  for (const [index, boundary] of HELD_BOUNDARIES.entries()) {
    const files = { ...FILES, 'unique.txt': boundary };
    const { id: releaseId } = await app.start(await app.create(`Killed ${index}`), files);
    const publishByHand = () =>
      app.releases.confirm({ releaseId, url: app.standIn.publishByHand(`k-${index}`, files) });
    if (!AFTER_ITS_PERSON.test(boundary)) {
      expect(await diesAt(app, boundary), boundary).toBe(true);
      expect(await app.settled({ id: releaseId }), boundary).toMatchObject({ destinations: [{ state: 'waiting' }] });
      await publishByHand();
    } else {
      await app.jobs.drain();
      await publishByHand();
      expect(await diesAt(app, boundary), boundary).toBe(true);
    }
    const ended = await app.settled({ id: releaseId });
    expect(ended, boundary).toMatchObject({ state: 'live', error: null });
    expect(await app.textAt(ended.url, '/unique.txt')).toBe(boundary);
  }
});

test('an address that trickles without an end is left, and looked at again later', async () => {
  await using harness = await platformHarness();
  const server = createServer(async (_request, response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write('x');
      await delay(20);
    }
  });
  await using listening = await atFreePort(server);
  const confirmedUrl = listening.url;
  const release = await harness.release(1, { 'index.html': 'x'.repeat(10_000) });
  const request = { ...release, ref: { isPrepared: true, url: null }, confirmedUrl };
  const run = replit({ lookMs: 200 }).publish(harness.call, request);
  const { value } = await run.next();
  expect(value).toMatchObject({ text: `${confirmedUrl} cannot be opened: no whole answer in time` });
});

test('an address that answers with no page, or is where the app is edited, is told as that', async () => {
  await using harness = await platformHarness();
  await using listening = await atFreePort(createServer((_request, response) => response.writeHead(404).end()));
  const empty = listening.url;
  const editor = 'https://replit.com/@ada/harbour-cafe';
  const release = await harness.release(1, { 'index.html': 'here' });
  const textAt = async (confirmedUrl: string) => {
    const request = { ...release, ref: { isPrepared: true, url: null }, confirmedUrl };
    return (await replit().publish(harness.call, request).next()).value;
  };
  expect(await textAt(empty)).toMatchObject({
    text: `${empty} answers with status 404, so it may not be published yet`,
  });
  const said = `${editor} is where the app is edited: enter the address that ends in replit.app`;
  expect(await textAt(editor)).toMatchObject({ text: said });
});

test('an entry page that is too large to look at is left to the comparison of all files', async () => {
  await using there = await startReplit();
  await using harness = await platformHarness();
  const confirmedUrl = there.publishByHand('large', { 'index.html': 'y'.repeat(6 * 1024 * 1024) });
  const release = await harness.release(1, { 'index.html': 'x'.repeat(6 * 1024 * 1024) });
  const request = { ...release, ref: { isPrepared: true, url: null }, confirmedUrl };
  const { value } = await replit().publish(harness.call, request).next();
  expect(value).toEqual({ isPrepared: true, url: confirmedUrl });
});

test('a release that nobody finishes ends in words after its days', async () => {
  await using on = await onReplit();
  on.clock.advance(8 * 24 * 60 * 60_000);
  await makeDue();
  const ended = await on.settled({ id: on.releaseId });
  expect(ended).toMatchObject({
    state: 'failed',
    error: { message: 'Replit did not finish this release within 7 days.' },
  });
});

test('a release of another platform waits for nobody', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const { id: releaseId } = await app.start(await app.create('Elsewhere'), FILES);
  expect((await refusalOf(app.releases.handOff({ releaseId }))).code).toBe('conflict');
  expect((await refusalOf(app.releases.confirm({ releaseId, url: 'https://a.replit.app' }))).code).toBe('conflict');
});
