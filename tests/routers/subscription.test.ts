import { expect, test } from 'vitest';
import { EventModel } from '../../server/models/event.ts';
import { SubscriptionModel } from '../../server/models/subscription.ts';
import { createTestApp } from '../support/app.ts';
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

test('the anonymous and unknown fields are refused', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { subscription } = app.anonymous();
  for (const call of [subscription.get(), subscription.allowance(), subscription.startTrial()]) {
    expect(await refusalOf(call)).toMatchObject({ code: 'unauthenticated' });
  }
  // @ts-expect-error the procedures take no input
  const stray = ada.caller.subscription.startTrial({ plan: 'BETA' });
  expect(await refusalOf(stray)).toMatchObject({ code: 'validation_failed', field: 'plan' });
});

test('an API token that may only read does not start the trial', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { secret } = await ada.caller.tokens.create({
    name: 'reader',
    scopes: ['read'],
    currentPassword: ada.password,
  });
  const reader = await app.callerFor(secret);

  expect(await reader.subscription.allowance()).toMatchObject({ plan: 'free' });
  expect(await refusalOf(reader.subscription.startTrial())).toMatchObject({ code: 'scope_missing', status: 403 });
});
