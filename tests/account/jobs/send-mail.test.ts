import { expect, test } from 'vitest';
import { CONFIRM_LINK_HOURS } from '../../../routers/schemas/limits.ts';
import type { Mail } from '../../../server/account/mail/mailer.ts';
import { MailModel } from '../../../server/database/models/account/mail.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { HOUR_MS } from '../../../server/lib/durations.ts';
import { AppError } from '../../../server/lib/errors.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { makeDue } from '../../support/make-due.ts';

/** Has what waits for its next try run now. */
async function runDue(app: TestApp): Promise<void> {
  await makeDue();
  await app.jobs.drain();
}

const jobOf = (accountId: string) =>
  JobModel.findOne({ name: 'send-mail', accountId }).setOptions({ acrossAccounts: 'jobs' }).hint({ _id: 1 }).orFail();

test('a mail that the server does not take now is sent later, under its own id, and once however often the job runs', async () => {
  await using app = await createTestApp();
  const tried: Mail[] = [];
  let isAway = true;
  app.providers.mailer = {
    keepsMail: false,
    deliver: async (mail) => {
      tried.push(mail);
      if (isAway) throw new Error('The mail server is away.');
    },
  };
  const { user } = await app.newcomer();
  await app.jobs.drain();
  expect(await jobOf(user.id)).toMatchObject({ status: 'queued', attempt: 1 });
  const waiting = await MailModel.findOne({ accountId: user.id }).hint({ _id: 1 }).orFail();
  expect([waiting.sentAt, waiting.sealedToken === null]).toEqual([null, false]);

  isAway = false;
  await runDue(app);
  expect(tried.map(({ id, to }) => [id, to])).toEqual([
    [waiting.id, user.email],
    [waiting.id, user.email],
  ]);
  const sent = await MailModel.findOne({ accountId: user.id }).hint({ _id: 1 }).orFail();
  expect([sent.sentAt instanceof Date, sent.sealedToken]).toEqual([true, null]);

  await JobModel.updateOne({ _id: (await jobOf(user.id)).id }, { $set: { status: 'queued' } }).setOptions({
    acrossAccounts: 'jobs',
  });
  await runDue(app);
  expect(tried).toHaveLength(2);
  expect((await jobOf(user.id)).status).toBe('done');
});

test('a mail that the server refuses for good is tried once', async () => {
  await using app = await createTestApp();
  let tries = 0;
  app.providers.mailer = {
    keepsMail: false,
    deliver: async () => {
      tries += 1;
      throw new AppError('mail_refused', 'The mail server refused this email.');
    },
  };
  const { user } = await app.newcomer();
  await app.jobs.drain();
  await runDue(app);
  expect([tries, (await jobOf(user.id)).status]).toEqual([1, 'dead']);
});

test('a mail whose link ran out before it could leave is not sent', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await app.jobs.drain();
  await ada.caller.auth.sendConfirmation();
  const before = app.outbox.length;
  app.clock.advance(CONFIRM_LINK_HOURS * HOUR_MS);
  await app.jobs.drain();
  expect(app.outbox.length).toBe(before);
});
