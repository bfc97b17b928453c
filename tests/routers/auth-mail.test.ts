import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { authenticate } from '../../server/account/auth/index.ts';
import { SessionModel } from '../../server/database/models/account/session.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { afterNextPasswordCheck } from '../support/after-password-check.ts';
import { createJar, createTestApp, type Person, tokenOf } from '../support/app.ts';
import { databaseLoadOf } from '../support/database-load.ts';
import { askForEmail, confirmedPerson, mailsOf, resetTokenFor, tokenIn } from '../support/mailed.ts';
import { refusalOf } from '../support/refusal.ts';

const MINUTE_MS = 60_000;
const newPassword = 'Another horse 2';

test('a forgotten password is replaced by the mailed link: sessions and tokens end, nobody is signed in, a mail tells', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { secret } = await tokenOf(ada, ['read'], 'script');
  const token = await resetTokenFor(app, ada.user.email.toUpperCase());
  const jar = createJar();

  const mails = await mailsOf(app, () => app.anonymous(jar).auth.resetPassword({ token, password: newPassword }));

  expect(mails).toMatchObject([{ kind: 'password-changed', to: ada.user.email }]);
  expect([...jar.cookies.keys()]).toEqual([]);
  expect((await authenticate(app.providers, ada.accessToken)).actor).toEqual({ kind: 'anonymous' });
  expect(await refusalOf(app.anonymous(ada.jar).auth.refresh())).toMatchObject({ code: 'session_ended' });
  const { auth } = app.anonymous();
  expect(await refusalOf(auth.login({ username: ada.user.username, password: ada.password }))).toMatchObject({
    code: 'credentials_wrong',
  });
  const signedIn = await auth.login({ username: ada.user.username, password: newPassword });
  expect(signedIn).toMatchObject({ id: ada.user.id, emailConfirmed: true });
  expect((await authenticate(app.providers, secret)).actor).toEqual({ kind: 'anonymous' });
  expect((await ada.caller.tokens.list()).items).toEqual([]);
});

test('a sign-in whose password was reset while it was looked at is refused, and leaves no session', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const token = await resetTokenFor(app, ada.user.email);
  afterNextPasswordCheck(app, () => app.anonymous().auth.resetPassword({ token, password: newPassword }));

  const signingIn = app.anonymous().auth.login({ username: ada.user.username, password: ada.password });

  expect(await refusalOf(signingIn)).toMatchObject({ code: 'credentials_wrong' });
  expect(await SessionModel.countDocuments({ accountId: ada.user.id, revokedAt: null })).toBe(0);
});

test('a change of the password that began before a reset does not undo it', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const token = await resetTokenFor(app, ada.user.email);
  afterNextPasswordCheck(app, () => app.anonymous().auth.resetPassword({ token, password: newPassword }));

  const changing = ada.caller.auth.changePassword({ currentPassword: ada.password, newPassword: 'Third horse 3' });

  expect(await refusalOf(changing)).toMatchObject({ code: 'validation_failed', field: 'currentPassword' });
  const { auth } = app.anonymous();
  expect(await auth.login({ username: ada.user.username, password: newPassword })).toMatchObject({ id: ada.user.id });
});

test('a link that is used twice at once changes the password once', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const token = await resetTokenFor(app, ada.user.email);
  const { auth } = app.anonymous();

  const outcomes = await Promise.allSettled(
    ['First winner 1', 'Second winner 2', 'Third winner 3'].map((password) => auth.resetPassword({ token, password })),
  );

  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      expect(outcome.reason.cause).toMatchObject({ code: 'token_invalid', status: 400 });
  }
});

test('a link holds for 30 minutes, one that is used closes the others, and each can be asked without being used', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { auth } = app.anonymous();
  const late = await resetTokenFor(app, ada.user.email);
  const isOpen = async (token: string) => (await auth.checkResetLink({ token })).isOpen;
  expect([await isOpen(late), await isOpen(late), await isOpen('A'.repeat(43))]).toEqual([true, true, false]);
  app.clock.advance(30 * MINUTE_MS);
  expect(await isOpen(late)).toBe(false);
  expect(await refusalOf(auth.resetPassword({ token: late, password: newPassword }))).toMatchObject({
    code: 'token_invalid',
  });

  const [first, second] = [await resetTokenFor(app, ada.user.email), await resetTokenFor(app, ada.user.email)];
  expect([await isOpen(first), await isOpen(second)]).toEqual([true, true]);
  await auth.resetPassword({ token: second, password: newPassword });
  expect([await isOpen(first), await isOpen(second)]).toEqual([false, false]);
  expect(await refusalOf(auth.resetPassword({ token: first, password: 'Thief horse 3' }))).toMatchObject({
    code: 'token_invalid',
  });
  expect(await refusalOf(auth.confirmEmail({ token: second }))).toMatchObject({ code: 'token_invalid' });
});

test('an address that nobody has gets the same answer for the same work of the database, and no mail', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const answers: unknown[] = [];
  const ask = async (email: string): Promise<void> => {
    answers.push(await app.anonymous().auth.forgotPassword({ email }));
  };
  // The first of all creates the collections that the later ones find.
  await ask('first@nowhere.example');

  const ofAda = await databaseLoadOf(() => ask(ada.user.email));
  const ofNobody = await databaseLoadOf(() => ask('nobody@nowhere.example'));

  expect(answers).toEqual([{ done: true }, { done: true }, { done: true }]);
  expect(ofAda.size).toBeGreaterThan(0);
  expect(ofNobody).toEqual(ofAda);

  const mails = await mailsOf(app, async () => undefined);
  expect(mails.filter((mail) => mail.to !== ada.user.email)).toEqual([]);
});

test('a changed password ends all other browsers, keeps this one, and a mail tells', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const other = await app.anonymous().auth.login({ username: ada.user.username, password: ada.password });
  const openLink = await resetTokenFor(app, ada.user.email);

  const mails = await mailsOf(app, () =>
    ada.caller.auth.changePassword({ currentPassword: ada.password, newPassword }),
  );

  expect(mails).toMatchObject([{ kind: 'password-changed', to: ada.user.email }]);
  expect((await authenticate(app.providers, other.accessToken)).actor).toEqual({ kind: 'anonymous' });
  expect((await authenticate(app.providers, ada.accessToken)).actor).toMatchObject({ kind: 'account' });
  expect((await ada.caller.auth.sessions()).items).toHaveLength(1);
  const { auth } = app.anonymous();
  expect(await refusalOf(auth.resetPassword({ token: openLink, password: 'Thief horse 3' }))).toMatchObject({
    code: 'token_invalid',
  });
  expect(await auth.login({ username: ada.user.username, password: newPassword })).toMatchObject({ id: ada.user.id });
});

test('a wrong current password is an error of its field, no sign-out, and is slowed down', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const guess = () => ada.caller.auth.changePassword({ currentPassword: 'Wrong horse 9', newPassword });

  for (let count = 0; count < 6; count += 1) {
    expect(await refusalOf(guess())).toMatchObject({
      code: 'validation_failed',
      status: 400,
      fieldErrors: { currentPassword: 'The current password is not right' },
    });
  }
  expect(await refusalOf(guess())).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(await ada.caller.user.get()).toMatchObject({ id: ada.user.id });
});

test('registration mails a link that confirms the address once', async () => {
  await using app = await createTestApp();
  const ada = await app.newcomer();
  const [mail] = await mailsOf(app, () => ada.caller.auth.sendConfirmation());
  expect(mail).toMatchObject({ kind: 'confirm-email', to: ada.user.email });
  const first = app.outbox.find((sent) => sent.to === ada.user.email && sent.kind === 'confirm-email');
  expect(first).toBeDefined();

  expect(await app.anonymous().auth.confirmEmail({ token: tokenIn(first, '/auth/confirm') })).toEqual({
    email: ada.user.email,
  });

  expect(await ada.caller.user.get()).toMatchObject({ emailConfirmed: true });
  // The tab that asks for the confirmation is another one.
  expect(await EventModel.countDocuments({ accountId: ada.user.id, type: 'analytics_update' })).toBe(1);
  const again = app.anonymous().auth.confirmEmail({ token: tokenIn(mail, '/auth/confirm') });
  expect(await refusalOf(again)).toMatchObject({ code: 'token_invalid' });
  expect(await mailsOf(app, () => ada.caller.auth.sendConfirmation())).toEqual([]);
});

test('another address takes the place of the old one once it is confirmed, and the old one is told', async () => {
  await using app = await createTestApp();
  const ada = await confirmedPerson(app);
  const email = `new-${ada.user.email}`;
  const [mail, warning] = await mailsOf(app, () =>
    ada.caller.auth.changeEmail({ email, currentPassword: ada.password }),
  );
  expect(mail).toMatchObject({ kind: 'confirm-email', to: email, subject: 'Confirm your new email address' });
  expect(mail?.text).toContain('asked to change the email address of a Fairlead account to this one');
  expect(warning).toMatchObject({ kind: 'stop-email-change', to: ada.user.email });
  expect(await ada.caller.user.get()).toMatchObject({ email: ada.user.email });

  const told = await mailsOf(app, () => app.anonymous().auth.confirmEmail({ token: tokenIn(mail, '/auth/confirm') }));

  expect(told).toMatchObject([{ kind: 'email-changed', to: ada.user.email }]);
  expect(await ada.caller.user.get()).toMatchObject({ email, emailConfirmed: true });
});

test('the old address stops a change by its link, some days later too, which proves that address', async () => {
  await using app = await createTestApp();
  const ada = await confirmedPerson(app);
  const asked = await askForEmail(app, ada, `thief-${ada.user.email}`);
  expect(await ada.caller.user.get()).toMatchObject({ pendingEmail: `thief-${ada.user.email}` });

  const { auth } = app.anonymous();
  const mails = await mailsOf(app, () => auth.stopEmailChange({ token: asked.stop }));

  expect(mails).toEqual([]);
  expect(await ada.caller.user.get()).toMatchObject({
    email: ada.user.email,
    emailConfirmed: true,
    pendingEmail: null,
  });
  expect(await refusalOf(auth.confirmEmail({ token: asked.confirm }))).toMatchObject({ code: 'token_invalid' });
  expect(await refusalOf(auth.stopEmailChange({ token: asked.stop }))).toMatchObject({ code: 'token_invalid' });

  const bob = await confirmedPerson(app);
  const again = await askForEmail(app, bob, `thief-${bob.user.email}`);
  app.clock.advance(6 * 24 * 60 * MINUTE_MS);
  const other = await app.newcomer();
  const cookie = other.jar.read('refresh');
  const stopped = await other.caller.auth.stopEmailChange({ token: again.stop });
  const reset = await other.caller.auth.resetPassword({ token: stopped.resetToken, password: newPassword });
  expect([stopped.accountId, reset.accountId]).toEqual([bob.user.id, bob.user.id]);
  expect(other.jar.read('refresh'), 'who is logged in to another account stays there').toBe(cookie);
});

test('each new password ends a change of address that waits', async () => {
  await using app = await createTestApp();
  const changed = {
    reset: async (ada: Person) => {
      const token = await resetTokenFor(app, ada.user.email);
      await app.anonymous().auth.resetPassword({ token, password: newPassword });
    },
    change: (ada: Person) => ada.caller.auth.changePassword({ currentPassword: ada.password, newPassword }),
  };
  for (const [how, setPassword] of Object.entries(changed)) {
    const ada = await confirmedPerson(app);
    const { confirm } = await askForEmail(app, ada, `thief-${ada.user.email}`);
    await setPassword(ada);
    const { auth } = app.anonymous();
    expect(await refusalOf(auth.confirmEmail({ token: confirm })), how).toMatchObject({ code: 'token_invalid' });
    const { id } = await auth.login({ username: ada.user.username, password: newPassword });
    expect(await UserModel.findById(id), how).toMatchObject({ email: ada.user.email, pendingEmail: null });
  }
});

test('a change of address that waits is withdrawn by the account, and its link then confirms nothing', async () => {
  await using app = await createTestApp();
  const ada = await confirmedPerson(app);
  const { confirm } = await askForEmail(app, ada, `new-${ada.user.email}`);

  const mails = await mailsOf(app, () => ada.caller.auth.withdrawEmailChange());

  expect(mails).toEqual([]);
  expect(await ada.caller.user.get()).toMatchObject({ email: ada.user.email, pendingEmail: null });
  const late = app.anonymous().auth.confirmEmail({ token: confirm });
  expect(await refusalOf(late)).toMatchObject({ code: 'token_invalid' });

  const asked = await askForEmail(app, ada, `new-${ada.user.email}`);
  await app.anonymous().auth.confirmEmail({ token: asked.confirm });
  expect(await refusalOf(ada.caller.auth.withdrawEmailChange())).toMatchObject({
    code: 'conflict',
    message: 'No change of your email address is waiting any more.',
  });
});

test('a change of address that began before a reset is not left behind by it', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const token = await resetTokenFor(app, ada.user.email);
  afterNextPasswordCheck(app, () => app.anonymous().auth.resetPassword({ token, password: newPassword }));

  const asking = ada.caller.auth.changeEmail({ email: `thief-${ada.user.email}`, currentPassword: ada.password });

  expect(await refusalOf(asking)).toMatchObject({ code: 'validation_failed', field: 'currentPassword' });
  expect(await UserModel.findById(ada.user.id)).toMatchObject({ pendingEmail: null });
});

test('only the address that was asked for last can be confirmed', async () => {
  await using app = await createTestApp();
  const ada = await confirmedPerson(app);
  const first = await askForEmail(app, ada, `first-${ada.user.email}`);
  const second = await askForEmail(app, ada, `second-${ada.user.email}`);
  const { auth } = app.anonymous();
  expect(await refusalOf(auth.confirmEmail({ token: first.confirm }))).toMatchObject({ code: 'token_invalid' });
  await auth.confirmEmail({ token: second.confirm });
  expect(await ada.caller.user.get()).toMatchObject({ email: `second-${ada.user.email}` });
});

test('links that were mailed before an account was deleted do nothing to it', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const [confirmation] = await mailsOf(app, () => ada.caller.auth.sendConfirmation());
  const token = await resetTokenFor(app, ada.user.email);
  await ada.caller.account.delete({ username: ada.user.username, currentPassword: ada.password });
  const { auth } = app.anonymous();
  const confirming = auth.confirmEmail({ token: tokenIn(confirmation, '/auth/confirm') });
  expect(await refusalOf(confirming)).toMatchObject({ code: 'token_invalid' });
  expect(await refusalOf(auth.resetPassword({ token, password: newPassword }))).toMatchObject({
    code: 'token_invalid',
  });
  expect((await app.newcomer({ email: ada.user.email })).user.email).toBe(ada.user.email);
});

test('a mailbox gets six links an hour, whichever accounts name it, and its owner registers all the same', async () => {
  await using app = await createTestApp({ limits: { confirmationsPerRecipientPerHour: 2 } });
  const [ada, bob, eve] = [await app.person(), await app.person(), await app.person()];
  const name = ({ caller, password }: Person, email: string) =>
    caller.auth.changeEmail({ email, currentPassword: password });
  await name(ada, 'victim@example.com');
  await name(bob, 'Victim+bob@example.com');
  expect(await refusalOf(name(eve, 'victim+eve@example.com'))).toMatchObject({ code: 'rate_limited' });
  await name(eve, 'other@example.com');

  const mails = await mailsOf(app, () => app.newcomer({ email: 'victim@example.com' }));
  expect(mails).toEqual([]);
});

test('an address of another account cannot be taken, neither when asked for nor when confirmed', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const move = (email: string, currentPassword = ada.password) =>
    ada.caller.auth.changeEmail({ email, currentPassword });
  expect(await refusalOf(move(bob.user.email.toUpperCase()))).toMatchObject({ code: 'email_taken', field: 'email' });
  // Neither the password nor a place among those that are hashed is asked for.
  expect(await refusalOf(move(ada.user.email, 'Wrong horse 9'))).toMatchObject({
    code: 'validation_failed',
    field: 'email',
  });
  expect(await refusalOf(move('free@example.com', 'Wrong horse 9'))).toMatchObject({ field: 'currentPassword' });

  const wanted = `wanted-${ada.user.email}`;
  const [mail] = await mailsOf(app, () => move(wanted));
  await app.newcomer({ email: wanted });
  const confirmed = app.anonymous().auth.confirmEmail({ token: tokenIn(mail, '/auth/confirm') });
  expect(await refusalOf(confirmed)).toMatchObject({ code: 'email_taken' });
  expect(await ada.caller.user.get()).toMatchObject({ email: ada.user.email });
});

test('a dump of the database holds no token that works, before and after the mails went out', async () => {
  await using app = await createTestApp();
  const ada = await app.newcomer();
  const { secret } = await tokenOf(ada, ['write'], 'CI');
  await app.anonymous().auth.forgotPassword({ email: ada.user.email });
  const secrets = [ada.accessToken, ada.jar.cookies.get('refresh') ?? '', secret, ada.password];
  secrets.push(ada.jar.cookies.get('device') ?? '');
  const early = await dump();

  await app.jobs.drain();
  const mails = app.outbox.filter((mail) => mail.to === ada.user.email);
  const reset = mails.find((mail) => mail.kind === 'reset-password');
  const confirm = mails.find((mail) => mail.kind === 'confirm-email');
  secrets.push(tokenIn(reset, '/auth/reset'), tokenIn(confirm, '/auth/confirm'));

  for (const text of [early, await dump()]) {
    expect(text).toContain(ada.user.id);
    for (const value of secrets) expect(text).not.toContain(value);
  }
});

async function dump(): Promise<string> {
  const collections = (await mongoose.connection.db?.collections()) ?? [];
  const contents = await Promise.all(
    collections
      .filter(({ collectionName }) => !collectionName.startsWith('system.'))
      .map(async (collection) => [collection.collectionName, await collection.find({}, { comment: 'test' }).toArray()]),
  );
  return JSON.stringify(contents);
}
