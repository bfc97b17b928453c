import { expect, test } from 'vitest';
import { EventModel } from '../../server/database/models/event.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { transaction } from '../../server/database/mongo.ts';
import { addMonths, DAY_MS } from '../../server/lib/durations.ts';
import { endPlan, type GrantedPeriod, grantPlan, type PlanGrant } from '../../server/plans/subscription/grant.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';

type Given = Pick<PlanGrant, 'plan' | 'months'> & Partial<PlanGrant>;

function grant(app: TestApp, person: Person, given: Given) {
  const accountId = person.user.id;
  const now = app.providers.now();
  return transaction((session) => grantPlan(session, { accountId, source: 'payment', now, ...given }));
}

function takeBack(app: TestApp, person: Person, plan: PlanGrant['plan'], period: GrantedPeriod) {
  const accountId = person.user.id;
  return transaction((session) => endPlan(session, { accountId, plan, period, now: app.providers.now() }));
}

const eventsOf = (person: Person) => EventModel.countDocuments({ accountId: person.user.id });

test.each([
  ['2026-08-31T10:20:30.400Z', 6, '2027-02-28T10:20:30.400Z'],
  ['2027-08-31T00:00:00.000Z', 6, '2028-02-29T00:00:00.000Z'],
  ['2026-01-31T23:59:59.999Z', 1, '2026-02-28T23:59:59.999Z'],
  ['2026-12-15T12:00:00.000Z', 12, '2027-12-15T12:00:00.000Z'],
  ['2026-11-30T12:00:00.000Z', 3, '2027-02-28T12:00:00.000Z'],
])('from %s, %i months go until %s', (from, months, until) => {
  expect(addMonths(new Date(from), months).toISOString()).toBe(until);
});

test('a plan starts now for its months, and open tabs are told', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  const { startsAt, endsAt } = await grant(app, ada, { plan: 'STANDARD', months: 12 });

  expect(endsAt).toEqual(addMonths(startsAt, 12));
  expect(await ada.caller.subscription.get()).toMatchObject({
    plan: 'STANDARD',
    status: 'active',
    startedAt: startsAt,
    endsAt,
  });
  expect(await ada.caller.subscription.allowance()).toMatchObject({
    plan: 'STANDARD',
    deploymentLimit: 3,
    remaining: 3,
  });
  expect(await eventsOf(ada)).toBe(1);
});

test('the same plan goes on from the end of what runs, a paid Pro from the end of the trial', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.trialPerson()];
  const first = await grant(app, ada, { plan: 'BASIC', months: 1, renews: true });
  const trial = await bob.caller.subscription.get();
  app.clock.advance(3 * DAY_MS);

  const second = await grant(app, ada, { plan: 'BASIC', months: 6, source: 'license' });
  const paid = await grant(app, bob, { plan: 'PRO', months: 1 });

  expect(second).toMatchObject({ startsAt: first.endsAt, endsAt: addMonths(first.endsAt, 6) });
  expect(await SubscriptionModel.findOne({ accountId: ada.user.id })).toMatchObject({ renews: true });
  expect(paid.startsAt).toEqual(trial.endsAt);
  expect(await bob.caller.subscription.get()).toMatchObject({ status: 'active', startedAt: trial.startedAt });
});

test('a higher plan takes the place of a lower one at once, and any plan that of the trial', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.trialPerson()];
  await grant(app, ada, { plan: 'BASIC', months: 12 });
  app.clock.advance(DAY_MS);
  const now = app.providers.now();

  const higher = await grant(app, ada, { plan: 'PRO', months: 1, now });
  const basic = await grant(app, bob, { plan: 'BASIC', months: 1, now });

  expect(higher).toMatchObject({ startsAt: now, endsAt: addMonths(now, 1) });
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'PRO' });
  expect(basic).toMatchObject({ startsAt: now });
  expect(await bob.caller.subscription.get()).toMatchObject({ plan: 'BASIC', status: 'active' });
});

test.each([
  ['PRO', 'STANDARD', 'includes all of Standard'],
  ['STANDARD', 'BASIC', 'includes all of Basic'],
  ['BETA', 'PRO', 'allows the same as Pro'],
  ['PRO', 'BETA', 'allows the same as Beta'],
] as const)('while %s runs, %s is refused and nothing changes', async (running, plan, reason) => {
  await using app = await createTestApp();
  const ada = await app.person();
  await grant(app, ada, { plan: running, months: 1 });
  const subscription = await ada.caller.subscription.get();

  const refusal = await grant(app, ada, { plan, months: 1 }).catch((error: unknown) => error);

  expect(refusal).toMatchObject({ code: 'conflict', message: expect.stringContaining(reason) });
  expect(await ada.caller.subscription.get()).toEqual(subscription);
  expect(await eventsOf(ada)).toBe(1);
});

test('a plan that has ended is in the way of none, and starts anew', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await grant(app, ada, { plan: 'PRO', months: 1 });
  app.clock.advance(40 * DAY_MS);
  const now = app.providers.now();

  expect(await grant(app, ada, { plan: 'BASIC', months: 1, now })).toMatchObject({ startsAt: now });
});

test('of twelve grants at once every one counts, each once', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const now = new Date('2026-08-15T00:00:00.000Z');

  const given = await Promise.all(Array.from({ length: 12 }, () => grant(app, ada, { plan: 'PRO', months: 1, now })));

  expect(new Set(given.map(({ startsAt }) => startsAt.getTime())).size).toBe(12);
  expect(await SubscriptionModel.find({ accountId: ada.user.id })).toMatchObject([{ endsAt: addMonths(now, 12) }]);
  expect(await eventsOf(ada)).toBe(12);
});

test('a deleted account is given nothing', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await ada.caller.account.delete({ username: ada.user.username, currentPassword: ada.password });

  const refusal = await grant(app, ada, { plan: 'PRO', months: 1 }).catch((error: unknown) => error);

  expect(refusal).toMatchObject({ code: 'not_found' });
  expect(await SubscriptionModel.countDocuments({ accountId: ada.user.id })).toBe(0);
});

test('a period that is taken back ends the plan where it was all, at once, and tells open tabs', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const period = await grant(app, ada, { plan: 'PRO', months: 1, source: 'license' });
  app.clock.advance(DAY_MS);

  await takeBack(app, ada, 'PRO', period);

  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'canceled', plan: 'PRO' });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free', remaining: 0 });
  expect(await eventsOf(ada)).toBe(2);
  await takeBack(app, ada, 'PRO', period);
  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'canceled' });
});

test('of several periods only the one is taken back, and only what is left of it', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const now = app.providers.now();
  const paid = await grant(app, ada, { plan: 'BASIC', months: 1, now });
  const key = await grant(app, ada, { plan: 'BASIC', months: 12, now, source: 'license' });
  await takeBack(app, ada, 'BASIC', key);
  expect(await ada.caller.subscription.get()).toMatchObject({ endsAt: paid.endsAt });

  const longer = await grant(app, ada, { plan: 'BASIC', months: 1, now });
  await takeBack(app, ada, 'BASIC', { ...paid, endsAt: longer.endsAt });
  expect((await ada.caller.subscription.get()).endsAt.getTime()).toBeLessThan(paid.endsAt.getTime());
});

test('what a higher plan has replaced takes nothing from it', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const key = await grant(app, ada, { plan: 'BASIC', months: 12, source: 'license' });
  app.clock.advance(DAY_MS);
  await grant(app, ada, { plan: 'PRO', months: 1 });
  const higher = await ada.caller.subscription.get();

  await takeBack(app, ada, 'BASIC', key);
  await takeBack(app, ada, 'PRO', key);

  expect(await ada.caller.subscription.get()).toEqual(higher);
});
