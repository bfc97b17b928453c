import { expect, test } from 'vitest';
import { FeedbackModel } from '../../server/database/models/account/feedback.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

const PUBLIC_ADDRESS = { address: '203.0.113.7' };
const kept = () => FeedbackModel.find({}).comment('test').lean();

test('a rating is stored with its account, comment and what it is about', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  expect(await ada.caller.feedback.rate({ rating: 5, comment: '  Fast!  ', deploymentId: 'main-app' })).toEqual({
    done: true,
  });

  expect(await FeedbackModel.find({ accountId: ada.user.id }).lean()).toMatchObject([
    { rating: 5, comment: 'Fast!', deploymentId: 'main-app', at: expect.any(Date) },
  ]);
});

test('signed out, the product can be rated', async () => {
  await using app = await createTestApp();

  await app.anonymous().feedback.rate({ rating: 1, comment: '   ' });

  expect(await FeedbackModel.find({ accountId: null, rating: 1 }).comment('test').lean()).toMatchObject([
    { accountId: null, comment: null, deploymentId: 'main-app' },
  ]);
});

test('only one of their own deployments can be rated', async () => {
  await using app = await createTestApp();
  const [ada, eve] = [await app.trialPerson(), await app.person()];
  const { id } = await ada.caller.deployments.create({ name: 'Atlas', platform: 'built-in' });

  for (const caller of [eve.caller, app.anonymous()]) {
    expect(await refusalOf(caller.feedback.rate({ rating: 1, deploymentId: id }))).toMatchObject({ code: 'not_found' });
  }
  await ada.caller.feedback.rate({ rating: 4, deploymentId: id });
  expect(await FeedbackModel.find({ accountId: ada.user.id }).lean()).toMatchObject([{ rating: 4, deploymentId: id }]);
});

test('no stars are refused with the sentence of the dialog', async () => {
  await using app = await createTestApp();
  const { feedback } = app.anonymous();
  const before = (await kept()).length;

  for (const rating of [0, 6, 2.5]) {
    expect(await refusalOf(feedback.rate({ rating }))).toMatchObject({
      code: 'validation_failed',
      fieldErrors: { rating: 'Please select a rating' },
    });
  }
  for (const comment of ['x'.repeat(2_001), 'a\u0000b', '\ud800']) {
    expect(await refusalOf(feedback.rate({ rating: 3, comment }))).toMatchObject({ field: 'comment' });
  }
  // @ts-expect-error the field is unknown
  expect(await refusalOf(feedback.rate({ rating: 3, accountId: 'x' }))).toMatchObject({ field: 'accountId' });
  expect((await kept()).length).toBe(before);
});

test('strangers are limited by address, people by account', async () => {
  await using app = await createTestApp({ limits: { feedbackPerHour: 2 } });
  const ada = await app.person();
  const stranger = app.anonymous(undefined, PUBLIC_ADDRESS);
  const other = app.anonymous(undefined, { address: '203.0.113.8' });

  for (const { feedback } of [stranger, ada.caller]) {
    await feedback.rate({ rating: 3 });
    await feedback.rate({ rating: 3 });
    const refusal = await refusalOf(feedback.rate({ rating: 3 }));
    expect(refusal).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(refusal.retryAfterMs).toBeGreaterThan(0);
    expect(refusal.retryAfterMs).toBeLessThanOrEqual(3_600_000);
  }
  await other.feedback.rate({ rating: 3 });
});

test('of an account, of an address in a day, and of all strangers so many ratings are kept', async () => {
  await using app = await createTestApp({
    limits: { feedbackRows: { perAccount: 2, ofStrangers: 1_000_000, perAddressADay: 3 } },
  });
  const ada = await app.person();
  for (const rating of [1, 2]) await ada.caller.feedback.rate({ rating });
  expect(await refusalOf(ada.caller.feedback.rate({ rating: 3 }))).toMatchObject({
    code: 'quota_exhausted',
    message: 'An account can send 2 ratings a year, and you have sent that many.',
  });
  const stranger = app.anonymous(undefined, { address: '203.0.113.9' });
  for (const rating of [1, 2, 3]) await stranger.feedback.rate({ rating });
  const refusal = await refusalOf(stranger.feedback.rate({ rating: 4 }));
  expect(refusal).toMatchObject({ code: 'rate_limited' });
  expect(refusal.message).toContain('One IP address can send 3 ratings a day');

  app.providers.limits.feedbackRows.ofStrangers = 3;
  const refused = await refusalOf(app.anonymous(undefined, { address: '203.0.113.10' }).feedback.rate({ rating: 5 }));
  expect(refused).toMatchObject({ code: 'quota_exhausted' });
  expect(await FeedbackModel.countDocuments({ accountId: ada.user.id })).toBe(2);
});
