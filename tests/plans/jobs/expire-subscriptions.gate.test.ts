import { expect, test } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { PaymentModel } from '../../../server/database/models/plans/payment.ts';
import { SubscriptionModel } from '../../../server/database/models/plans/subscription.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { addMonths, DAY_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { renewPlan } from '../../../server/plans/payments/renew.ts';
import { notifyEnd } from '../../../server/plans/subscription/ending.ts';
import { createTestApp, type Person, type TestApp } from '../../support/app.ts';
import { refusalOf } from '../../support/refusal.ts';
import { runRecurring } from '../../support/run-recurring.ts';
import { IS_FULL } from '../../support/size.ts';

const pass = (app: TestApp, ms: number) => runRecurring(app, 'expire-subscriptions', ms);

/** Somebody whose address is confirmed: no other gets such mails. */
async function confirmed(person: Person): Promise<Person> {
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: new Date() } });
  return person;
}

async function buy(person: Person, plan: 'BASIC' | 'STANDARD' | 'PRO' | 'BETA') {
  const { url } = await person.caller.payments.checkout({ plan });
  return person.caller.payments.answerTest({ paymentId: url.slice(-20), answer: 'pay' });
}

/** The mails to this person; the other accounts of the file are notified of their ends as well. */
const told = (app: TestApp, { user }: Person) =>
  app.outbox.filter(({ kind, to }) => kind.startsWith('plan-') && to === user.email);
const kinds = (app: TestApp, person: Person) => told(app, person).map(({ kind }) => kind);
const paidOf = (person: Person) => PaymentModel.countDocuments({ accountId: person.user.id, state: 'paid' });
const eventsOf = (person: Person) =>
  EventModel.countDocuments({ accountId: person.user.id, type: 'subscription_update' });

test('the end of the trial is told a week and a day ahead and when it is there, each once', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.trialPerson());
  await pass(app, 6 * DAY_MS);
  expect(kinds(app, ada)).toEqual([]);
  await pass(app, 1.5 * DAY_MS);
  await pass(app, DAY_MS);
  expect(kinds(app, ada)).toEqual(['plan-ends-week']);
  expect(told(app, ada)[0]).toMatchObject({
    subject: 'Your Pro trial ends within a week',
    text: expect.stringContaining('What you published stays live and becomes read-only until a plan is active again.'),
  });
  await pass(app, 5 * DAY_MS);
  await pass(app, 10 * MINUTE_MS);
  expect(kinds(app, ada)).toEqual(['plan-ends-week', 'plan-ends-day']);
  const before = await eventsOf(ada);
  await pass(app, DAY_MS);
  expect(await eventsOf(ada), 'open tabs are told').toBe(before + 1);
  await pass(app, DAY_MS);
  expect(kinds(app, ada)).toEqual(['plan-ends-week', 'plan-ends-day', 'plan-ended']);
  expect(await eventsOf(ada)).toBe(before + 1);
});

test('an end that moves is told anew', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.person());
  await buy(ada, 'PRO');
  await ada.caller.subscription.cancel();
  await pass(app, 25 * DAY_MS);
  expect(kinds(app, ada)).toEqual(['plan-ends-week']);
  await buy(ada, 'PRO');
  await pass(app, MINUTE_MS);
  expect(kinds(app, ada)).toEqual(['plan-ends-week']);
  await pass(app, 30 * DAY_MS);
  expect(kinds(app, ada)).toEqual(['plan-ends-week', 'plan-ends-week']);
});

test('a plan renews before its end and without a gap, and nobody is warned of what goes on', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.person());
  await buy(ada, 'STANDARD');
  const { endsAt, startedAt } = await ada.caller.subscription.get();
  const untilEnd = endsAt.getTime() - app.providers.now().getTime();
  await pass(app, untilEnd - DAY_MS);
  expect(await paidOf(ada)).toBe(1);
  await pass(app, DAY_MS - 8 * MINUTE_MS);
  await pass(app, 5 * MINUTE_MS);

  expect(await ada.caller.subscription.get()).toMatchObject({
    ...{ plan: 'STANDARD', status: 'active', startedAt, endsAt: addMonths(endsAt, 1) },
    renews: true,
  });
  expect(await paidOf(ada)).toBe(2);
  const [newest] = (await ada.caller.payments.list()).items;
  expect(newest).toMatchObject({ amountCents: 1200, isTest: true, period: { startsAt: endsAt } });
  expect(kinds(app, ada)).toEqual([]);
});

test('a cancelled plan ends, is told, and is not charged', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.person());
  await buy(ada, 'BASIC');
  await ada.caller.subscription.cancel();
  await pass(app, 32 * DAY_MS);

  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'expired', plan: 'BASIC' });
  expect(await paidOf(ada)).toBe(1);
  expect(kinds(app, ada)).toEqual(['plan-ended']);
});

test('the smaller plan that was chosen begins where the other ends, also when the worker comes late', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.person());
  await buy(ada, 'STANDARD');
  const { endsAt } = await ada.caller.subscription.change({ plan: 'BASIC' });
  await pass(app, 26 * DAY_MS);
  expect(told(app, ada)[0]).toMatchObject({
    subject: 'Your Standard plan becomes Basic within a week',
    text: expect.stringContaining('Your Standard plan becomes Basic on '),
  });
  app.clock.advance(endsAt.getTime() - app.providers.now().getTime());
  await pass(app, 3 * 60 * MINUTE_MS);

  expect(await ada.caller.subscription.get()).toMatchObject({
    ...{ plan: 'BASIC', status: 'active', startedAt: endsAt, endsAt: addMonths(endsAt, 1) },
    ...{ renews: true, nextPlan: null },
  });
  expect(await paidOf(ada)).toBe(2);
  expect(kinds(app, ada)).toEqual(['plan-ends-week']);
});

test('who was without a worker for weeks is not charged afterwards', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.person());
  await buy(ada, 'BASIC');
  await pass(app, 45 * DAY_MS);
  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'expired' });
  expect([await paidOf(ada), kinds(app, ada)]).toEqual([1, ['plan-ended']]);
});

test('what the test checkout has sold ends once a service takes the money, and says so everywhere', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.person());
  await buy(ada, 'PRO');
  await ada.caller.subscription.change({ plan: 'BASIC' });
  const { endsAt } = await ada.caller.subscription.get();

  app.providers.payments = { isTest: false, openCheckout: async () => ({ url: 'https://pay.example' }) };

  expect(await ada.caller.subscription.get()).toMatchObject({
    renews: false,
    nextPlan: null,
    cancelAtEnd: false,
    endsAt,
  });
  expect(await refusalOf(ada.caller.subscription.cancel())).toMatchObject({
    message: 'Pro does not renew. It ends automatically.',
  });
  await pass(app, 25 * DAY_MS);
  await pass(app, 8 * DAY_MS);
  expect(kinds(app, ada)).toEqual(['plan-ends-week', 'plan-ended']);
  expect(told(app, ada)[0]?.text).toContain('Your Pro plan ends on');
  expect(await paidOf(ada)).toBe(1);
});

const AT_ONCE = IS_FULL ? 10 : 4;

test(`${AT_ONCE} instances at once renew once, and tell once`, async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await confirmed(await app.trialPerson())];
  await buy(ada, 'BASIC');
  const [soon, past] = [new Date(Date.now() + MINUTE_MS), new Date(Date.now() - MINUTE_MS)];
  await SubscriptionModel.updateOne({ accountId: ada.user.id }, { $set: { endsAt: soon } });
  await SubscriptionModel.updateOne({ accountId: bob.user.id }, { $set: { endsAt: past } });
  const instances = Array.from({ length: AT_ONCE });

  const renewed = await Promise.all(instances.map(() => transaction((s) => renewPlan(s, app.providers, ada.user.id))));
  await Promise.all(instances.map(() => transaction((s) => notifyEnd(s, app.providers, bob.user.id))));
  await app.jobs.drain();

  expect(renewed.filter((done) => done)).toHaveLength(1);
  expect(await paidOf(ada)).toBe(2);
  expect(kinds(app, bob)).toEqual(['plan-ended']);
});

test('the plan of a deleted account is neither renewed nor told', async () => {
  await using app = await createTestApp();
  const ada = await confirmed(await app.person());
  await buy(ada, 'BASIC');
  await SubscriptionModel.updateOne({ accountId: ada.user.id }, { $set: { endsAt: new Date() } });
  await UserModel.updateOne({ _id: ada.user.id }, { $set: { deletedAt: new Date() } });
  await pass(app, MINUTE_MS);
  expect([await paidOf(ada), kinds(app, ada)]).toEqual([1, []]);
});
