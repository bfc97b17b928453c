import { expect, test } from 'vitest';
import { EventModel } from '../../server/database/models/event.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { createTestApp, type Person } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';
import { retryUntilAvailable } from '../support/retry-until-available.ts';

const DAY_MS = 86_400_000;

test('an account without a subscription has none, and may start the trial', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  expect(await refusalOf(ada.caller.subscription.get())).toMatchObject({ code: 'not_found', status: 404 });
  expect(await ada.caller.subscription.allowance()).toEqual({
    plan: 'free',
    deploymentLimit: 0,
    deploymentCount: 0,
    remaining: 0,
    isTrialAvailable: true,
    comingPayment: null,
    writableIds: [],
    mayChooseWritable: false,
    customDomains: 0,
    severalPlatforms: false,
    earlyAccess: false,
  });
});

test('the trial is PRO for 14 days, and other tabs are told', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  const started = await ada.caller.subscription.startTrial();

  expect(started).toMatchObject({ status: 'trialing', plan: 'PRO' });
  expect(started.endsAt.getTime() - started.startedAt.getTime()).toBe(14 * DAY_MS);
  expect(await ada.caller.subscription.get()).toEqual(started);
  expect(await ada.caller.subscription.allowance()).toMatchObject({
    plan: 'PRO',
    deploymentLimit: null,
    remaining: null,
    isTrialAvailable: false,
  });
  const events = await EventModel.find({ accountId: ada.user.id }).sort({ accountId: 1, seq: 1 });
  expect(events.map((event) => event.type)).toEqual(['subscription_update']);
});

test('the trial is started once, also when it is asked for twenty times at once', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => retryUntilAvailable(() => ada.caller.subscription.startTrial())),
  );

  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason.cause).toMatchObject({ code: 'trial_used', status: 409 });
  }
  expect(await SubscriptionModel.countDocuments({ accountId: ada.user.id })).toBe(1);
  expect(await EventModel.countDocuments({ accountId: ada.user.id })).toBe(1);
});

test('a trial past its end reads as expired at once, and cannot be started again', async () => {
  await using app = await createTestApp();
  const ada = await app.trialPerson();
  app.clock.advance(14 * DAY_MS);
  const later = app.callerOf(app.context({ kind: 'account', accountId: ada.user.id, sessionId: 'any' }));

  expect(await later.subscription.get()).toMatchObject({ status: 'expired', plan: 'PRO' });
  expect(await later.subscription.allowance()).toMatchObject({ plan: 'free', remaining: 0, isTrialAvailable: false });
  expect(await refusalOf(later.subscription.startTrial())).toMatchObject({ code: 'trial_used' });
});

test('who has a plan has nothing to try out', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const startedAt = new Date();
  await SubscriptionModel.create({
    _id: 'subscription00000000',
    accountId: ada.user.id,
    plan: 'BASIC',
    status: 'active',
    startedAt,
    endsAt: new Date(startedAt.getTime() + 30 * DAY_MS),
  });

  expect(await refusalOf(ada.caller.subscription.startTrial())).toMatchObject({ code: 'conflict' });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'BASIC', deploymentLimit: 1, remaining: 1 });
});

async function buy(person: Person, plan: 'BASIC' | 'STANDARD' | 'PRO' | 'BETA') {
  const { url } = await person.caller.payments.checkout({ plan });
  return person.caller.payments.answerTest({ paymentId: url.slice(-20), answer: 'pay' });
}

test('a plan that renews is cancelled for the end of its period, and resumed', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, 'STANDARD');
  const bought = await ada.caller.subscription.get();
  expect(bought).toMatchObject({ renews: true, cancelAtEnd: false, nextPlan: null });

  const cancelled = await ada.caller.subscription.cancel();

  expect(cancelled).toEqual({ ...bought, cancelAtEnd: true });
  expect(await ada.caller.subscription.cancel()).toEqual(cancelled);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'STANDARD', remaining: 3 });
  expect(await ada.caller.subscription.resume()).toEqual(bought);
});

test('a smaller plan is chosen for the end of the period, and a larger one ends that choice at once', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, 'STANDARD');
  const { subscription } = ada.caller;

  expect(await subscription.change({ plan: 'BASIC' })).toMatchObject({ plan: 'STANDARD', nextPlan: 'BASIC' });
  expect(await subscription.cancel()).toMatchObject({ cancelAtEnd: true, nextPlan: null });
  expect(await subscription.change({ plan: 'BASIC' })).toMatchObject({ cancelAtEnd: false, nextPlan: 'BASIC' });
  for (const plan of ['STANDARD', 'PRO', 'BETA'] as const) {
    expect(await refusalOf(subscription.change({ plan })), plan).toMatchObject({ code: 'conflict' });
  }
  await buy(ada, 'PRO');
  expect(await subscription.get()).toMatchObject({ plan: 'PRO', renews: true, cancelAtEnd: false, nextPlan: null });
});

test('what does not renew ends by itself, and has nothing to cancel', async () => {
  await using app = await createTestApp();
  const [trying, beta, nobody] = [await app.trialPerson(), await app.person(), await app.person()];
  await buy(beta, 'BETA');

  for (const { caller } of [trying, beta]) {
    const { subscription } = caller;
    const acts = [subscription.cancel, subscription.resume, () => subscription.change({ plan: 'BASIC' })];
    for (const act of acts) expect(await refusalOf(act())).toMatchObject({ code: 'conflict' });
  }
  expect(await refusalOf(nobody.caller.subscription.cancel())).toMatchObject({ code: 'not_found' });
  await buy(nobody, 'BASIC');
  app.clock.advance(40 * DAY_MS);
  const later = await refusalOf(nobody.caller.subscription.cancel());
  expect(later).toMatchObject({ code: 'conflict', message: 'This plan has ended.' });
});
