import { expect, test } from 'vitest';
import { ContactMessageModel } from '../../server/database/models/account/contact-message.ts';
import { newId } from '../../server/database/mongo.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

const LETTER = { name: 'Ada', email: 'ada@example.com', message: 'Where\tdo I start?\r\nAda' };

test('a message is stored and mailed to the operator, and nothing goes to the address that was typed', async () => {
  await using app = await createTestApp();

  expect(await app.anonymous().contact.send(LETTER)).toEqual({ done: true });
  await app.jobs.drain();

  expect(await ContactMessageModel.find({ accountId: null }).lean()).toMatchObject([
    { ...LETTER, at: expect.any(Date) },
  ]);
  expect(app.outbox).toMatchObject([
    { kind: 'contact', to: 'operator@localhost', replyTo: 'ada@example.com', subject: 'Contact form: Ada' },
  ]);
  expect(app.outbox[0]?.text).toContain('Where\tdo I start?\r\nAda');
});

test('signed in, the message is kept with its account', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  await ada.caller.contact.send(LETTER);

  expect(await ContactMessageModel.countDocuments({ accountId: ada.user.id })).toBe(1);
});

test('where to write is told to everybody', async () => {
  await using app = await createTestApp();
  expect(await app.anonymous().contact.get()).toEqual({ supportEmail: 'support@localhost', keepsMail: true });
});

test.each([
  [{ name: '  ' }, 'name', 'Enter your name'],
  [{ name: 'x'.repeat(101) }, 'name', 'Name is too long'],
  [{ name: 'Ada\r\nBcc: all@example.com' }, 'name', 'Name cannot contain control characters'],
  [{ name: 'Ada \u202eresu' }, 'name', 'Name cannot contain marks that reverse the direction of text'],
  [{ name: 'Ada \u2066x' }, 'name', 'Name cannot contain marks that reverse the direction of text'],
  [{ message: 'red \u001b[31m' }, 'message', 'Message cannot contain control characters'],
  [{ message: 'a\u0000b' }, 'message', 'Message cannot contain control characters'],
  [{ name: '\ud800' }, 'name', 'Name cannot contain control characters'],
  [{ message: '\ud800' }, 'message', 'Message cannot contain control characters'],
  [{ email: 'ada' }, 'email', 'Please enter a valid email address'],
  [{ message: '' }, 'message', 'Enter a message'],
  [{ message: 'x'.repeat(5_001) }, 'message', 'Message is too long'],
])('%o is refused on its field', async (wrong, field, text) => {
  await using app = await createTestApp();
  const refusal = await refusalOf(app.anonymous().contact.send({ ...LETTER, ...wrong }));
  expect(refusal).toMatchObject({ code: 'validation_failed', fieldErrors: { [field]: text } });
});

test('strangers are limited by address, people by account, each with the time to wait', async () => {
  await using app = await createTestApp({ limits: { contactPerHour: 2 } });
  const stranger = app.anonymous(undefined, { address: '203.0.113.7' });
  const other = app.anonymous(undefined, { address: '203.0.113.8' });

  for (const { contact } of [stranger, (await app.person()).caller]) {
    await contact.send(LETTER);
    await contact.send(LETTER);
    expect(await refusalOf(contact.send(LETTER))).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: expect.any(Number),
    });
  }
  await other.contact.send(LETTER);
});

test('the mailbox that all write to takes so many an hour of strangers, and as many of accounts', async () => {
  await using app = await createTestApp({ limits: { contactMailsPerHour: 2 } });
  const addresses = { supportEmail: 'help@example.com', operatorEmail: `${newId()}@example.com` };
  app.providers.addresses = { ...app.providers.addresses, ...addresses };
  const from = (address: string) => app.anonymous(undefined, { address }).contact.send(LETTER);
  await from('203.0.113.7');
  await from('203.0.113.8');
  const refused = await refusalOf(from('203.0.113.9'));
  expect(refused).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) });
  expect(refused.message).toContain('help@example.com');
  for (const _ of [1, 2]) await (await app.person()).caller.contact.send(LETTER);
  expect(await refusalOf((await app.person()).caller.contact.send(LETTER))).toMatchObject({ code: 'rate_limited' });
});

test('of an account the newest messages are kept', async () => {
  await using app = await createTestApp({ limits: { contactRows: { perAccount: 2, ofStrangers: 2 } } });
  const ada = await app.person();
  for (const message of ['one', 'two', 'three']) {
    app.clock.advance(1_000);
    await ada.caller.contact.send({ ...LETTER, message });
  }

  const kept = await ContactMessageModel.find({ accountId: ada.user.id }, { message: 1 }).sort({ at: 1 }).lean();
  expect(kept.map(({ message }) => message)).toEqual(['two', 'three']);
});
