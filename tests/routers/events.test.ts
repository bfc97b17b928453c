import { expect, test } from 'vitest';
import { DONE } from '../../routers/schemas/primitives.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { EVENTS_KEPT } from '../../server/events/publish.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

test('a test notification is an event of the own account, and of no other', async () => {
  await using app = await createTestApp();
  const [ada, other] = [await app.person(), await app.person()];

  expect(await ada.caller.events.sendTest({ title: 'Hello', message: 'It works' })).toEqual(DONE);
  await ada.caller.events.sendTest({ message: 'Without a title' });

  const events = await EventModel.find({ accountId: ada.user.id }).sort({ seq: 1 });
  expect(events.map(({ type, payload }) => ({ type, payload }))).toEqual([
    { type: 'notification', payload: { title: 'Hello', message: 'It works' } },
    { type: 'notification', payload: { message: 'Without a title' } },
  ]);
  expect(await EventModel.countDocuments({ accountId: other.user.id })).toBe(0);
});

test.each([
  ['message', { message: '' }],
  ['message', { message: 'x'.repeat(100_000) }],
  ['title', { title: 'x'.repeat(100_000), message: 'a' }],
])('bad input is refused with the field %s', async (field, input) => {
  await using app = await createTestApp();
  const ada = await app.person();
  expect(await refusalOf(ada.caller.events.sendTest(input))).toMatchObject({
    code: 'validation_failed',
    fieldErrors: { [field]: expect.any(String) },
  });
  expect(await EventModel.countDocuments({ accountId: ada.user.id })).toBe(0);
});

test('an account sends itself so many test notifications an hour', async () => {
  await using app = await createTestApp({ limits: { testNotificationsPerHour: 2 } });
  const [ada, other] = [await app.person(), await app.person()];
  for (const message of ['one', 'two']) await ada.caller.events.sendTest({ message });
  expect(await refusalOf(ada.caller.events.sendTest({ message: 'three' }))).toMatchObject({ code: 'rate_limited' });
  expect(await EventModel.countDocuments({ accountId: ada.user.id })).toBe(2);
  expect(await other.caller.events.sendTest({ message: 'mine' })).toEqual(DONE);
});

test('the log of an account keeps its last 10,000 events, and those of others stay', async () => {
  await using app = await createTestApp();
  const [ada, other] = [await app.person(), await app.person()];
  await other.caller.events.sendTest({ message: 'kept' });
  const last = EVENTS_KEPT + 999;
  const rows = Array.from({ length: last }, (_, index) => ({
    _id: `${ada.user.id} ${index + 1}`,
    accountId: ada.user.id,
    seq: index + 1,
    type: 'analytics_update',
    payload: {},
    at: new Date(),
  }));
  await EventModel.insertMany(rows, { lean: true });
  await UserModel.updateOne({ _id: ada.user.id }, { $set: { eventSeq: last } });

  await ada.caller.events.sendTest({ message: 'the one that trims' });

  const kept = await EventModel.find({ accountId: ada.user.id }, { seq: 1 }).sort({ seq: 1 }).lean();
  expect([kept.length, kept[0]?.seq, kept.at(-1)?.seq]).toEqual([EVENTS_KEPT, 1_001, last + 1]);
  expect(await EventModel.countDocuments({ accountId: other.user.id })).toBe(1);
});
