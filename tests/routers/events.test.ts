import { expect, test } from 'vitest';
import { DONE } from '../../routers/schemas/primitives.ts';
import { EventModel } from '../../server/models/event.ts';
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

test('nobody in particular is refused, and nothing is written', async () => {
  await using app = await createTestApp();
  expect(await refusalOf(app.anonymous().events.sendTest({ message: 'a' }))).toMatchObject({
    code: 'unauthenticated',
    status: 401,
  });
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
