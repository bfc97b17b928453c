import { expect, test } from 'vitest';
import { HELD_SLUGS_MAX } from '../../routers/schemas/limits.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { DeploymentHealthModel } from '../../server/database/models/publishing/deployment-health.ts';
import { HeldSlugModel } from '../../server/database/models/publishing/held-slug.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { newId } from '../../server/database/mongo.ts';
import { builtIn } from '../../server/publishing/platforms/built-in/index.ts';
import { createTestApp, type Person } from '../support/app.ts';
import { platforms } from '../support/platforms.ts';
import { createPublishingApp, startRelease, storeLive } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';
import { IS_FULL } from '../support/size.ts';

const create = (person: Person, name: string) => person.caller.deployments.create({ name, platform: 'built-in' });

async function endPlan(person: Person): Promise<void> {
  await SubscriptionModel.updateOne({ accountId: person.user.id }, { $set: { endsAt: new Date(0) } });
}

test('a deployment begins as a draft with an address made of its name', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  expect(await create(person, 'Müllers Café 2')).toMatchObject({
    name: 'Müllers Café 2',
    slug: 'muellers-cafe-2',
    state: 'draft',
    url: 'http://muellers-cafe-2.localhost:3001',
    currentRelease: null,
    latestRelease: null,
    releaseCount: 0,
    isSinglePage: false,
    hasCleanUrls: true,
    platform: 'built-in',
  });
  expect((await UserModel.findById(person.user.id))?.deploymentCount).toBe(1);
  const events = await EventModel.find({ accountId: person.user.id, type: 'analytics_update' })
    .sort({ seq: -1 })
    .comment('test')
    .lean();
  expect(events).toHaveLength(1);
});

test('the same name again gets a number, a reserved or unwritable one a name that is free', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const long = 'x'.repeat(70);
  const names = ['Shop', 'Shop', 'shop!', 'API', '🚢', long, long];
  const slugs: string[] = [];
  for (const name of names) slugs.push((await create(person, name)).slug);
  expect(slugs.slice(0, 5)).toEqual(['shop', 'shop-2', 'shop-3', 'api-2', 'website']);
  expect(slugs[5]).toBe('x'.repeat(50));
  expect(slugs[6]).toBe(`${'x'.repeat(48)}-2`);
});

test('a name that is too long for an address is cut between two words', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const name = 'The harbour museum of the northern islands and its lighthouse';
  const slugs = [(await create(person, name)).slug, (await create(person, name)).slug];
  expect(slugs).toEqual([
    'the-harbour-museum-of-the-northern-islands-and-its',
    'the-harbour-museum-of-the-northern-islands-and-2',
  ]);
});

test('an address is told before it is taken: whether it is free, and what it would be', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const stranger = await app.trialPerson();
  const { id: deploymentId } = await create(stranger, 'Quay');
  const { checkAddress } = person.caller.deployments;
  expect(await checkAddress({ name: 'Pier' })).toEqual({ wanted: 'pier', slug: 'pier' });
  expect(await checkAddress({ name: 'Quay' })).toEqual({ wanted: 'quay', slug: 'quay-2' });
  expect((await create(person, 'Dock 2')).slug).toBe('dock-2');
  expect(await checkAddress({ name: 'Dock 2' })).toEqual({ wanted: 'dock-2', slug: 'dock-3' });
  expect(await checkAddress({ name: 'Admin' })).toEqual({ wanted: 'admin', slug: 'admin-2' });
  expect(await checkAddress({ name: '🚢' })).toMatchObject({ wanted: 'website' });

  const own = await create(person, 'Mole');
  expect(await checkAddress({ deploymentId: own.id, slug: 'mole' })).toEqual({ wanted: 'mole', slug: 'mole' });
  expect(await checkAddress({ deploymentId: own.id, slug: 'quay' })).toEqual({ wanted: 'quay', slug: null });
  const wasLive = { $set: { currentReleaseId: newId() } };
  await DeploymentModel.updateOne({ _id: deploymentId, accountId: stranger.user.id }, wasLive);
  await stranger.caller.deployments.update({ deploymentId, slug: 'dock' });
  expect(await checkAddress({ deploymentId: own.id, slug: 'quay' })).toEqual({ wanted: 'quay', slug: null });
  expect(await checkAddress({ deploymentId: own.id, slug: 'landing' })).toEqual({ wanted: 'landing', slug: 'landing' });
});

test('two creations of one name at once both get an address', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const made = await Promise.all([create(person, 'Twin'), create(person, 'Twin'), create(person, 'Twin')]);
  expect(new Set(made.map((deployment) => deployment.slug)).size).toBe(3);
  expect((await UserModel.findById(person.user.id))?.deploymentCount).toBe(3);
});

const AT_ONCE = IS_FULL ? 20 : 4;

test(`the same idempotency key, ${AT_ONCE} times at once, makes one deployment`, async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const input = { name: 'Once', platform: 'built-in' as const, idempotencyKey: 'key-of-the-client' };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => person.caller.deployments.create(input)));
  expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
  expect(await DeploymentModel.countDocuments({ accountId: person.user.id })).toBe(1);
  const other = await app.trialPerson();
  expect((await other.caller.deployments.create(input)).id).not.toBe(answers[0]?.id);
});

test('a platform that cannot be published to yet is refused before anything is made', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  await expect(person.caller.deployments.create({ name: 'There', platform: 'simulated' })).rejects.toMatchObject({
    cause: { code: 'platform_unavailable' },
    message: 'Publishing to Simulated platform is not available in this version.',
  });
  expect((await UserModel.findById(person.user.id))?.deploymentCount).toBe(0);
});

test('a deployment on a platform that is only simulated takes no place of the plan', async () => {
  const simulated = { ...builtIn, id: 'simulated' as const };
  await using app = await createTestApp({ providers: { platforms: { ...platforms, simulated } } });
  const person = await app.trialPerson();
  const countOf = async () => (await UserModel.findById(person.user.id))?.deploymentCount;
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Practice', platform: 'simulated' });
  expect(await countOf()).toBe(0);
  await person.caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
  expect((await refusalOf(person.caller.deployments.get({ deploymentId }))).code).toBe('not_found');
  expect(await countOf()).toBe(0);
});

test('without a plan nothing is created, and what exists becomes read-only but can be removed', async () => {
  await using app = await createTestApp();
  const nobody = await app.person();
  const hint = 'Start the free 14-day trial of Pro under Pricing & Trial.';
  expect(await refusalOf(create(nobody, 'Free'))).toMatchObject({
    code: 'deployment_limit_reached',
    status: 403,
    message: `The Free plan allows no deployments. ${hint}`,
    hint,
  });

  const person = await app.trialPerson();
  const { id: deploymentId } = await create(person, 'Kept');
  await endPlan(person);
  await expect(person.caller.deployments.update({ deploymentId, name: 'New' })).rejects.toMatchObject({
    cause: { code: 'plan_required' },
  });
  expect((await person.caller.deployments.list()).items).toHaveLength(1);
  await person.caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
  expect((await person.caller.deployments.list()).items).toHaveLength(0);
});

test('the list is searched, filtered and paged, what happened last first', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  for (let number = 1; number <= 7; number += 1)
    await create(person, `Site ${number}${number % 2 === 0 ? ' (Round.)' : ''}`);
  const { list } = person.caller.deployments;

  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ limit: 3, ...(cursor !== null && { cursor }) });
    seen.push(...page.items.map((item) => item.name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  const even = ['Site 6 (Round.)', 'Site 4 (Round.)', 'Site 2 (Round.)'];
  expect(seen).toEqual(['Site 7', even[0], 'Site 5', even[1], 'Site 3', even[2], 'Site 1']);

  expect((await list({ search: ' (ROUND.) ' })).items.map((item) => item.name)).toEqual(even);
  expect((await list({ search: 'site .' })).items).toEqual([]);
  expect((await list({ state: 'live' })).items).toEqual([]);
  expect((await list({ state: 'draft', platform: 'built-in', limit: 50 })).items).toHaveLength(7);
  expect((await list({ platform: 'netlify' })).items).toEqual([]);
  for (const search of ['a\u0000', '\ud800'])
    expect(await refusalOf(list({ search }))).toMatchObject({ field: 'search' });
  await expect(list({ cursor: 'nonsense' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('the list is searched without accents, and by every address of a site', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const [cafe, elsewhere] = [await create(person, 'Café Linde'), await create(person, 'Elsewhere')];
  await DeploymentModel.updateOne(
    { _id: elsewhere.id, accountId: person.user.id },
    { $set: { 'destinations.0.url': 'https://quirky-hopper.netlify.app' } },
  );
  await DomainModel.collection.insertOne({
    _id: newId() as never,
    ...{ accountId: person.user.id, deploymentId: cafe.id, name: 'harbour-inn.example' },
  });
  const found = async (search: string) =>
    (await person.caller.deployments.list({ search })).items.map(({ name }) => name);

  for (const search of ['cafe', 'CAFÉ l', 'cafe-li', `http://${cafe.slug}.localhost:3001/`, `${cafe.slug}.loc`])
    expect(await found(search), search).toEqual(['Café Linde']);
  for (const search of ['hopper', 'quirky-hopper.netl', 'https://quirky-hopper.netlify.app/'])
    expect(await found(search), search).toEqual(['Elsewhere']);
  for (const search of ['harbour-inn', 'https://www.harbour-inn.example/', 'inn.ex'])
    expect(await found(search), search).toEqual(['Café Linde']);
  for (const search of ['netlify', 'localhost', 'example', 'https://']) expect(await found(search), search).toEqual([]);
  await person.caller.deployments.update({ deploymentId: cafe.id, name: 'Brûlée', slug: 'creme' });
  for (const search of ['brulee', 'creme.localhost']) expect(await found(search), search).toEqual(['Brûlée']);
  expect(await found('linde')).toEqual([]);
});

test('those that wait for their owner are found behind any number that do not', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const [broken, damaged] = [await create(person, 'Broken'), await create(person, 'Damaged')];
  const served = await storeLive(app, damaged, { 'index.html': 'one' });
  await create(person, 'Calm');
  const [down, further] = [await create(person, 'Down'), await create(person, 'Further')];
  const slow = await create(person, 'Slow');
  const failed = await storeLive(app, broken, { 'index.html': 'one' });
  const ofPerson = (id: string) => ({ _id: id, accountId: person.user.id });
  await ReleaseModel.updateOne(ofPerson(failed.id), { $set: { state: 'failed' } });
  const lost = { destinationId: null, path: 'index.html', at: new Date() };
  await ReleaseModel.updateOne(ofPerson(served.id), { $set: { corruptedFiles: [lost] } });
  const there = { _id: 't'.repeat(20), platform: 'netlify', state: 'failed' };
  await DeploymentModel.updateOne(ofPerson(further.id), { $push: { destinations: there } });
  const at = { changedAt: new Date(), nextCheckAt: new Date() };
  const seen = (id: string, verdict: 'fail' | 'warn') => ({
    ...{ ...ofPerson(id), ...at, checks: [{ id: 'url-up', verdict, seen: 'It answers 500.' }] },
  });
  await DeploymentHealthModel.insertMany([seen(down.id, 'fail'), seen(slow.id, 'warn')]);
  const { items } = await person.caller.deployments.list({ needsCare: true });
  expect(items.map(({ name }) => name)).toEqual(['Further', 'Broken', 'Down', 'Damaged']);
  const [first] = (await person.caller.deployments.list({ needsCare: true, limit: 1 })).items;
  expect(first?.name).toBe('Further');
});

test('a new name keeps the address; a new address holds the old one for its owner', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const stranger = await app.trialPerson();
  const deployment = await create(person, 'Harbour');
  const deploymentId = deployment.id;
  await storeLive(app, deployment, { 'index.html': 'here' });
  expect(await person.caller.deployments.update({ deploymentId, name: 'Port' })).toMatchObject({
    name: 'Port',
    slug: 'harbour',
    state: 'live',
  });
  expect(await person.caller.deployments.update({ deploymentId, slug: 'port' })).toMatchObject({ slug: 'port' });
  await expect.poll(async () => (await app.visit('port')).text).toBe('here');
  await expect.poll(async () => (await app.visit('harbour')).status).toBe(404);

  expect((await create(stranger, 'Harbour')).slug).toBe('harbour-2');
  const { id: strange } = await create(stranger, 'Strange');
  for (const slug of ['harbour', 'port']) {
    await expect(stranger.caller.deployments.update({ deploymentId: strange, slug })).rejects.toMatchObject({
      cause: { code: 'slug_taken', field: 'slug' },
    });
  }
  expect(await person.caller.deployments.update({ deploymentId, slug: 'harbour' })).toMatchObject({ slug: 'harbour' });
  const held = await HeldSlugModel.find({ _id: { $in: ['port', 'harbour'] }, accountId: person.user.id });
  expect(held.map((doc) => doc._id)).toEqual(['port']);
  expect(Math.round(((held[0]?.heldUntil.getTime() ?? 0) - Date.now()) / 86_400_000)).toBe(30);
});

test('an account creates and moves so many deployments within the hour, and the echo of a creation is none', async () => {
  await using app = await createTestApp({ limits: { deploymentsPerHour: 2, addressChangesPerHour: 2 } });
  const person = await app.trialPerson();
  const once = { name: 'Once', platform: 'built-in' as const, idempotencyKey: 'key-of-the-client' };
  const { id: deploymentId } = await person.caller.deployments.create(once);
  await create(person, 'Twice');
  expect(await refusalOf(create(person, 'Thrice'))).toMatchObject({
    code: 'rate_limited',
    message: expect.stringMatching(/^An account can create 2 deployments an hour. Try again in \d+ minutes\.$/),
  });
  expect((await person.caller.deployments.create(once)).id).toBe(deploymentId);

  const { update } = person.caller.deployments;
  for (const slug of ['first', 'second']) await update({ deploymentId, slug });
  expect(await refusalOf(update({ deploymentId, slug: 'third' }))).toMatchObject({ code: 'rate_limited' });
  expect(await update({ deploymentId, slug: 'second', name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
});

test('an account with an unlimited plan may have any number of deployments', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  await UserModel.updateOne({ _id: person.user.id }, { $set: { deploymentCount: 1_000_000 } });
  expect(await create(person, 'One more')).toMatchObject({ name: 'One more' });
  const { deploymentCount } = (await UserModel.findOne({ _id: person.user.id }).lean()) ?? {};
  expect(deploymentCount).toBe(1_000_001);
});

test('an account changes its deployments so often in an hour', async () => {
  await using app = await createTestApp({ limits: { deploymentUpdatesPerHour: 1 } });
  const person = await app.trialPerson();
  const { id: deploymentId } = await create(person, 'Quay');
  await person.caller.deployments.update({ deploymentId, name: 'Pier' });
  await expect(person.caller.deployments.update({ deploymentId, name: 'Mole' })).rejects.toMatchObject({
    cause: { code: 'rate_limited' },
  });
  expect((await person.caller.deployments.get({ deploymentId })).name).toBe('Pier');
});

test('an account holds so many old addresses, by moving and by removing, and its oldest is free for others', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const stranger = await app.trialPerson();
  const { id: deploymentId } = await create(person, 'Berth 0');
  const { deployments } = person.caller;
  await deployments.update({ deploymentId, slug: 'never-live' });
  await deployments.update({ deploymentId, slug: 'berth-0' });
  const free = async (name: string) => (await stranger.caller.deployments.checkAddress({ name })).slug === name;
  expect(await free('never-live')).toBe(true);
  await DeploymentModel.updateOne({ _id: deploymentId, accountId: person.user.id }, { currentReleaseId: newId() });
  for (let number = 1; number <= HELD_SLUGS_MAX; number += 1) {
    app.clock.advance(1_000);
    await deployments.update({ deploymentId, slug: `berth-${number}` });
  }
  expect(await free('berth-0')).toBe(false);
  app.clock.advance(1_000);
  await deployments.update({ deploymentId, slug: 'berth-last' });
  expect([await free('berth-0'), await free('berth-1')]).toEqual([true, false]);
  await deployments.remove({ deploymentId });
  app.clock.advance(1_000);
  await app.jobs.drain();
  expect([await free('berth-1'), await free('berth-2'), await free('berth-last')]).toEqual([true, false, false]);
  expect(await HeldSlugModel.countDocuments({ accountId: person.user.id })).toBe(HELD_SLUGS_MAX);
});

test('while it is being published a deployment can be renamed, but not moved, removed or rolled back', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await create(person, 'Moving');
  const first = await storeLive(app, deployment, { 'index.html': 'one' });
  await storeLive(app, deployment, { 'index.html': 'two' });
  await startRelease(app, person, deployment, { 'index.html': 'three' });
  const { deployments } = person.caller;
  const deploymentId = deployment.id;
  expect((await deployments.update({ deploymentId, name: 'Still' })).state).toBe('deploying');
  for (const call of [
    () => deployments.update({ deploymentId, slug: 'elsewhere' }),
    () => deployments.remove({ deploymentId }),
    () => deployments.rollBack({ deploymentId, releaseId: first.id }),
  ]) {
    await expect(call()).rejects.toMatchObject({ cause: { code: 'deployment_busy' } });
  }
});

test('bad input is refused with the name of its field', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await create(person, 'Input');
  for (const [slug, text] of [
    ['Has Capitals', 'lowercase letters'],
    ['-edge', 'hyphen'],
    ['a--b', 'two hyphens'],
    ['api', 'reserved'],
    ['x'.repeat(51), '50'],
  ] as const) {
    await expect(person.caller.deployments.update({ deploymentId, slug })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(text),
    });
  }
  expect(await refusalOf(create(person, '\ud800z'))).toMatchObject({ field: 'name' });
  await expect(create(person, '   ')).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('name'),
  });
});
