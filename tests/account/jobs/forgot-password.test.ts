import { expect, test } from 'vitest';
import type { Mail } from '../../../server/account/mail/mailer.ts';
import { createJar, createTestApp, type TestApp } from '../../support/app.ts';

/** Returns the mails that are sent from now on by `act`. */
async function mailsOf(app: TestApp, act: () => Promise<unknown>): Promise<Mail[]> {
  await app.jobs.drain();
  const before = app.outbox.length;
  await act();
  await app.jobs.drain();
  return app.outbox.slice(before);
}

test('a link is made when the job runs, for whoever has the address then, however it is written', async () => {
  await using app = await createTestApp();
  const ada = await app.person({ email: `Ada.${process.pid}@example.com` });
  const mails = await mailsOf(app, async () => {
    for (const email of [ada.user.email.toUpperCase(), 'nobody@nowhere.example']) {
      await app.anonymous().auth.forgotPassword({ email });
    }
    // Nothing tells by the time that it takes whether there is such an account.
    expect(app.outbox.filter(({ kind }) => kind === 'reset-password')).toEqual([]);
  });
  expect(mails).toMatchObject([{ kind: 'reset-password', to: ada.user.email }]);
});

test('an account gets three links an hour, an address asks for ten, and the answer never tells', async () => {
  await using app = await createTestApp({ limits: { forgotPasswordPerHour: { perAccount: 3, perAddress: 5 } } });
  const ada = await app.person();
  const ask = (address: string) =>
    app.anonymous(createJar(), { address }).auth.forgotPassword({ email: ada.user.email });

  const mails = await mailsOf(app, async () => {
    for (let count = 0; count < 5; count += 1) expect(await ask('203.0.113.5')).toEqual({ done: true });
  });
  expect(mails).toHaveLength(3);

  const bob = await app.person();
  const late = await mailsOf(app, () =>
    app.anonymous(createJar(), { address: '203.0.113.5' }).auth.forgotPassword({ email: bob.user.email }),
  );
  expect(late.filter((mail) => mail.to === bob.user.email && mail.kind === 'reset-password')).toEqual([]);
});
