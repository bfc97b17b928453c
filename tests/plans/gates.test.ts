import { expect, test } from 'vitest';
import { PLANS } from '../../routers/schemas/plan-table.ts';
import {
  deploymentLimit,
  type Gate,
  hasBasic,
  hasPro,
  hasStandard,
  mayUse,
  type Plan,
} from '../../routers/schemas/plans.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { makeLicenses } from '../../server/plans/licenses/operate.ts';
import { type WritableCandidate, writableOf } from '../../server/plans/subscription/writable.ts';
import { createTestApp, type Person, type TestApp, tokenOf } from '../support/app.ts';
import { setPlan } from '../support/plans.ts';
import { contextOf, createPublishingApp, publish, sendSite } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';

const DAY_MS = 86_400_000;

/** The plans of the product, as they are sold: plan, deployments, domains for each, days of analytics, gates, tiers. */
const TABLE: readonly [Plan, number | null, number | null, number | null, Gate[], string][] = [
  ['free', 0, 0, null, [], ''],
  ['BASIC', 1, 1, 7, ['analytics'], 'basic'],
  ['STANDARD', 3, 5, 30, ['allDiagnostics', 'analytics'], 'basic standard'],
  ['PRO', null, null, 396, ['allDiagnostics', 'analytics', 'severalPlatforms', 'earlyAccess'], 'basic standard pro'],
  ['BETA', null, null, 396, ['allDiagnostics', 'analytics', 'severalPlatforms', 'earlyAccess'], 'basic standard pro'],
];

test.each(TABLE)('%s opens what it is sold with, and nothing else', (plan, deployments, domains, days, open, tiers) => {
  const gates: Gate[] = ['allDiagnostics', 'analytics', 'severalPlatforms', 'earlyAccess'];
  expect(deploymentLimit(plan)).toBe(deployments);
  expect(PLANS[plan]).toMatchObject({ customDomains: domains, analyticsDays: days });
  expect(gates.filter((gate) => mayUse(plan, gate))).toEqual(open);
  const held = { basic: hasBasic(plan), standard: hasStandard(plan), pro: hasPro(plan) };
  expect(
    Object.entries(held)
      .flatMap(([tier, has]) => (has ? tier : []))
      .join(' '),
  ).toBe(tiers);
});

const candidate = (_id: string, day: number, platform: WritableCandidate['platform'] = 'built-in') => ({
  _id,
  platform,
  releasedAt: new Date(day * DAY_MS),
});
const FOUR = [candidate('a', 1), candidate('b', 4), candidate('c', 2), candidate('d', 3)];

test.each<[string, Plan, string[], WritableCandidate[], string[] | null]>([
  ['without a plan nothing can be changed', 'free', ['a'], FOUR, []],
  ['without a limit all can', 'PRO', ['a'], FOUR, null],
  ['at the cap all can', 'STANDARD', [], FOUR.slice(0, 3), null],
  ['over it those with the most recent release', 'STANDARD', [], FOUR, ['b', 'd', 'c']],
  ['of one place the chosen one has it', 'BASIC', ['a'], FOUR, ['a']],
  ['chosen ones are filled up', 'STANDARD', ['a'], FOUR, ['a', 'b', 'd']],
  ['more chosen ones than places are cut', 'BASIC', ['a', 'b'], FOUR, ['b']],
  ['a chosen one that is gone gives its place away', 'BASIC', ['gone'], FOUR, ['b']],
  ['practice takes no place', 'BASIC', [], [candidate('p', 9, 'simulated'), ...FOUR.slice(0, 1)], null],
  ['practice is no matter of the cap', 'BASIC', [], [candidate('p', 9, 'simulated'), ...FOUR], ['b', 'p']],
])('%s', (_what, plan, chosen, deployments, expected) => {
  expect(writableOf(plan, chosen, deployments)).toEqual(expected);
});

async function makeDeployments(person: Person, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await person.caller.deployments.create({ name, platform: 'built-in' })).id);
  return ids;
}

/** Everything that changes a deployment without anything else having to be there. */
const CHANGES = {
  rename: (person: Person, deploymentId: string) => person.caller.deployments.update({ deploymentId, name: 'Other' }),
  prepare: (person: Person, deploymentId: string) => person.caller.releases.prepare({ deploymentId }),
  add: (person: Person, deploymentId: string) => person.caller.domains.add({ deploymentId, name: 'capped.test' }),
  platform: (person: Person, deploymentId: string) =>
    person.caller.deployments.addDestination({ deploymentId, platform: 'built-in' }),
};

test('sites of the trial that a small plan has no place for stay and are read-only, and the person chooses', async () => {
  await using app = await createTestApp();
  const ada = await app.trialPerson();
  const [first = '', second = '', third = ''] = await makeDeployments(ada, ['One', 'Two', 'Three']);
  await setPlan(ada, 'BASIC');
  const allowance = () => ada.caller.subscription.allowance();

  expect(await allowance()).toMatchObject({ writableIds: [third], mayChooseWritable: true, customDomains: 1 });
  for (const [name, change] of Object.entries(CHANGES)) {
    expect(await refusalOf(change(ada, first)), name).toMatchObject({ code: 'plan_required', status: 403 });
  }
  expect((await refusalOf(CHANGES.rename(ada, first))).message).toBe(
    'Basic lets you change one deployment. This one is not included: it stays live and is read-only.',
  );
  await CHANGES.rename(ada, third);

  const choose = (deploymentIds: string[]) => ada.caller.subscription.chooseWritable({ deploymentIds });
  expect(await refusalOf(choose([first, second]))).toMatchObject({ code: 'conflict' });
  expect(await choose([first])).toMatchObject({ writableIds: [first], mayChooseWritable: false });
  await CHANGES.rename(ada, first);
  expect(await refusalOf(CHANGES.rename(ada, third))).toMatchObject({ code: 'plan_required' });
  expect(await refusalOf(choose([second]))).toMatchObject({ code: 'conflict' });

  await setPlan(ada, 'BASIC', { endsAt: new Date(Date.now() + 60 * DAY_MS) });
  expect(await refusalOf(choose([second])), 'a longer plan opens no choice').toMatchObject({ code: 'conflict' });
  const until = await SubscriptionModel.findOne({ accountId: ada.user.id }).orFail();
  await setPlan(ada, 'BASIC', { writableChosenFor: new Date(until.startedAt.getTime() - 1) });
  expect(await choose([second]), 'the next month').toMatchObject({ writableIds: [second] });
  await ada.caller.deployments.remove({ deploymentId: third });
  await ada.caller.deployments.remove({ deploymentId: first });
  expect(await allowance(), 'at the cap again').toMatchObject({ writableIds: null, mayChooseWritable: false });
  expect(await refusalOf(choose([second]))).toMatchObject({ code: 'conflict' });
});

test('a license that is handed on and taken back opens no second choice, and a larger plan does', async () => {
  await using app = await createTestApp();
  const ada = await app.trialPerson();
  const [first = '', second = '', third = '', fourth = ''] = await makeDeployments(ada, ['1', '2', '3', '4']);
  const [key = ''] = await makeLicenses(
    { plan: 'BASIC', months: 12, count: 1, redeemBy: null, note: '' },
    app.providers.now(),
  );
  const { id: licenseId } = await ada.caller.licenses.redeem({ key });
  const choose = (deploymentIds: string[]) => ada.caller.subscription.chooseWritable({ deploymentIds });
  await choose([first]);

  await ada.caller.licenses.transfer({ licenseId });
  await ada.caller.licenses.revoke({ licenseId });

  expect(await ada.caller.subscription.allowance()).toMatchObject({ writableIds: [first], mayChooseWritable: false });
  expect(await refusalOf(choose([second]))).toMatchObject({ code: 'conflict' });
  await setPlan(ada, 'STANDARD');
  const three = [second, third, fourth];
  expect(await choose(three)).toMatchObject({ mayChooseWritable: false });
  expect((await ada.caller.subscription.allowance()).writableIds?.toSorted()).toEqual(three.toSorted());
  await setPlan(ada, 'BASIC');
  expect(await choose([fourth]), 'the larger plan is lost').toMatchObject({ writableIds: [fourth] });
  await setPlan(ada, 'STANDARD');
  expect(await refusalOf(choose(three)), 'and bought again').toMatchObject({ code: 'conflict' });
  // A year of the plan has twelve choices.
  const chosen = await SubscriptionModel.findOne({ accountId: ada.user.id }).orFail();
  expect(chosen.writableChosenFor?.getTime()).toBeLessThan(Date.now() + 32 * DAY_MS);
});

test('a choice names own deployments, and is made by the person and not by a token', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.trialPerson(), await app.trialPerson()];
  const [own = '', foreign = ''] = [...(await makeDeployments(ada, ['One'])), ...(await makeDeployments(bob, ['Two']))];
  const { secret } = await tokenOf(ada, ['read', 'write'], 'all');
  await setPlan(ada, 'BASIC');

  expect(await refusalOf(ada.caller.subscription.chooseWritable({ deploymentIds: [foreign] }))).toMatchObject({
    code: 'not_found',
  });
  const token = await app.callerFor(secret);
  expect(await refusalOf(token.subscription.chooseWritable({ deploymentIds: [own] }))).toMatchObject({
    code: 'session_required',
  });
});

test('a domain moves between deployments that can both be changed', async () => {
  await using app = await createTestApp();
  const ada = await app.trialPerson();
  const [from = '', to = ''] = await makeDeployments(ada, ['From', 'To']);
  const { id: domainId } = await ada.caller.domains.add({ deploymentId: from, name: 'moved.test' });
  await setPlan(ada, 'BASIC', { writableIds: [from] });
  const move = () => ada.caller.domains.update({ domainId, deploymentId: to });

  expect(await refusalOf(move())).toMatchObject({ code: 'plan_required' });
  await setPlan(ada, 'BASIC', { writableIds: [to] });
  expect(await refusalOf(move())).toMatchObject({ code: 'plan_required' });
  await ada.caller.domains.remove({ domainId });
  await setPlan(ada, 'STANDARD');
  const { id: again } = await ada.caller.domains.add({ deploymentId: from, name: 'moved.test' });
  expect(await ada.caller.domains.update({ domainId: again, deploymentId: to })).toMatchObject({ deploymentId: to });
});

/** Runs `work` between the first look at the plan and the transaction: when the files of the release are read. */
function whileReading(app: TestApp, work: () => Promise<void>): void {
  const { store } = app.providers;
  app.providers.store = {
    ...store,
    readWhole: async (sha256) => {
      await work();
      return store.readWhole(sha256);
    },
  };
}

test('a plan that falls while a release is described is seen by its transaction', async () => {
  await using app = await createPublishingApp();
  const ada = await app.trialPerson();
  const [old = ''] = await makeDeployments(ada, ['Old', 'New']);
  const { uploadId } = await ada.caller.releases.prepare({ deploymentId: old });
  await sendSite(await contextOf(app, ada), uploadId, { 'index.html': 'x' });
  whileReading(app, () => setPlan(ada, 'BASIC'));

  const refused = await refusalOf(ada.caller.releases.create({ deploymentId: old, uploadId }));

  expect(refused).toMatchObject({ code: 'plan_required' });
  expect(await ada.caller.releases.list({ deploymentId: old })).toMatchObject({ items: [] });
});

test('the deployment that was published last is the one that stays writable', async () => {
  await using app = await createPublishingApp();
  const ada = await app.trialPerson();
  const [old = ''] = await makeDeployments(ada, ['Old', 'New']);
  await publish(app, ada, { id: old }, { 'index.html': 'x' });
  await setPlan(ada, 'BASIC');

  expect(await ada.caller.subscription.allowance()).toMatchObject({ writableIds: [old] });
});

test('domains that a small plan has no place for stay and are read-only, and the person chooses once a month', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.trialPerson(), await app.trialPerson()];
  const [deploymentId = ''] = await makeDeployments(ada, ['One']);
  const [foreign = ''] = await makeDeployments(bob, ['Two']);
  const add = (person: Person, name: string, to = deploymentId) =>
    person.caller.domains.add({ deploymentId: to, name });
  const [first, second] = [await add(ada, 'first.test'), await add(ada, 'second.test')];
  const other = await add(bob, 'other.test', foreign);
  const change = ({ id: domainId, counterpart }: typeof first) =>
    ada.caller.domains.update({ domainId, servedName: counterpart ?? '' });
  const overCap = async () =>
    (await ada.caller.domains.list()).items.flatMap(({ name, isOverCap }) => (isOverCap ? name : []));
  const choose = (domainIds: string[]) => ada.caller.domains.chooseWritable({ deploymentId, domainIds });
  expect(await overCap()).toEqual([]);
  expect(await refusalOf(choose([first.id]))).toMatchObject({ code: 'conflict' });
  await setPlan(ada, 'BASIC');

  expect(await overCap()).toEqual(['second.test']);
  expect(await ada.caller.domains.get({ domainId: second.id })).toMatchObject({ isOverCap: true });
  expect(await refusalOf(change(second))).toMatchObject({
    code: 'plan_required',
    message:
      'Basic lets you change one domain of a deployment. This one is not included: it stays live and is read-only.',
  });
  await change(first);

  expect(await refusalOf(choose([first.id, second.id]))).toMatchObject({ code: 'conflict' });
  expect(await refusalOf(choose([other.id]))).toMatchObject({ code: 'not_found' });
  await choose([second.id]);
  expect(await overCap()).toEqual(['first.test']);
  await change(second);
  expect(await refusalOf(change(first))).toMatchObject({ code: 'plan_required' });
  expect(await refusalOf(choose([first.id])), 'twice in a month').toMatchObject({ code: 'conflict' });
  expect(await ada.caller.domains.get({ domainId: first.id })).toMatchObject({ mayBeChosen: false });

  await setPlan(ada, 'PRO');
  const rest = [];
  for (const n of [3, 4, 5, 6]) rest.push(await add(ada, `d${n}.test`));
  await setPlan(ada, 'STANDARD');
  const five = [first, ...rest].map(({ id }) => id);
  await choose(five);
  expect(await overCap(), 'a larger plan').toEqual(['second.test']);
  await setPlan(ada, 'BASIC');
  expect(await ada.caller.domains.get({ domainId: second.id }), 'is lost').toMatchObject({ mayBeChosen: true });
  await choose([second.id]);
  await setPlan(ada, 'STANDARD');
  expect(await refusalOf(choose(five)), 'and bought again').toMatchObject({ code: 'conflict' });
  await setPlan(ada, 'PRO');
  for (const { id: domainId } of rest) await ada.caller.domains.remove({ domainId });
  await setPlan(ada, 'BASIC');
  app.clock.advance(32 * DAY_MS);
  await setPlan(ada, 'BASIC', { endsAt: new Date(Date.now() + 90 * DAY_MS) });
  await choose([first.id]);
  expect(await overCap()).toEqual(['second.test']);
  await ada.caller.domains.remove({ domainId: second.id });
  expect(await overCap()).toEqual([]);
});
