import { expect, test, vi } from 'vitest';
import { authenticate } from '../../server/account/auth/index.ts';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { AuthorizationRequestModel } from '../../server/database/models/authorization-request.ts';
import { ConnectionModel } from '../../server/database/models/connection.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { newId } from '../../server/database/mongo.ts';
import { createJar, createTestApp, type Person, type TestApp } from '../support/app.ts';
import { askForEmail, confirmedPerson, mailsOf, resetTokenFor, tokenIn } from '../support/mailed.ts';
import { refusalOf } from '../support/refusal.ts';

const DAY_MS = 86_400_000;
const strangersPassword = 'Stolen horse 2';
const ownersPassword = 'Another horse 3';

/** Somebody elsewhere who knows name and password of an account, and reads no mail of its owner. */
type Stranger = Pick<Person, 'caller' | 'accessToken' | 'password'>;

async function signInElsewhere(app: TestApp, owner: Person, password = owner.password): Promise<Stranger> {
  const jar = createJar();
  const { accessToken } = await app.anonymous(jar).auth.login({ username: owner.user.username, password });
  return { caller: await app.callerFor(accessToken, jar), accessToken, password };
}

/** Moves the account to an address of the stranger's, who confirms it there; gives the link that the address before has. */
async function takeAddress(app: TestApp, stranger: Stranger, email: string): Promise<string> {
  const { confirm, stop } = await askForEmail(app, stranger, email);
  await app.anonymous().auth.confirmEmail({ token: confirm });
  return stop;
}

function takePassword(owner: Person, stranger: Stranger): Promise<unknown> {
  const { password: currentPassword } = owner;
  return stranger.caller.auth.changePassword({ currentPassword, newPassword: strangersPassword });
}

type World = { app: TestApp; owner: Person; stranger: Stranger };
/**
 * The traces of the stranger: the secrets that still open the account, and the link that the owner was mailed, if any.
 */
type Left = { stop?: string; secrets?: string[]; password?: string };
type Act = { does: string; act(world: World): Promise<Left> };

const ACTS: readonly Act[] = [
  {
    does: 'ends the sessions of the owner and makes an API token',
    async act({ owner, stranger }) {
      for (const { id, isCurrent } of (await stranger.caller.auth.sessions()).items) {
        if (!isCurrent) await stranger.caller.auth.revokeSession({ sessionId: id });
      }
      const token = { name: 'CI', scopes: ['write' as const], currentPassword: owner.password };
      return { secrets: [(await stranger.caller.tokens.create(token)).secret] };
    },
  },
  {
    does: 'changes the password',
    async act({ owner, stranger }) {
      await takePassword(owner, stranger);
      return { password: strangersPassword };
    },
  },
  {
    does: 'asks for an address of their own',
    act: async ({ app, stranger }) => ({ stop: (await askForEmail(app, stranger, 'thief@example.com')).stop }),
  },
  {
    does: 'moves the account to an address of their own',
    act: async ({ app, stranger }) => ({ stop: await takeAddress(app, stranger, 'thief@example.com') }),
  },
  {
    does: 'moves the account, makes an API token and begins to sign in at a platform',
    async act({ app, owner, stranger }) {
      const stop = await takeAddress(app, stranger, 'thief@example.com');
      const token = { name: 'CI', scopes: ['write' as const], currentPassword: owner.password };
      const { secret } = await stranger.caller.tokens.create(token);
      const begun = { provider: 'netlify' as const, stateHash: 'hash', verifier: 'sealed' };
      const expiresAt = new Date(app.clock.now().getTime() + DAY_MS);
      await AuthorizationRequestModel.create({ _id: newId(), accountId: owner.user.id, ...begun, expiresAt });
      return { stop, secrets: [secret] };
    },
  },
  {
    does: 'changes the password while a change of address waits',
    async act({ app, owner, stranger }) {
      const { stop } = await askForEmail(app, stranger, 'thief@example.com');
      await takePassword(owner, stranger);
      return { stop, password: strangersPassword };
    },
  },
  {
    does: 'moves the account and changes the password',
    async act({ app, owner, stranger }) {
      const stop = await takeAddress(app, stranger, 'thief@example.com');
      await takePassword(owner, stranger);
      return { stop, password: strangersPassword };
    },
  },
  {
    does: 'moves the account and resets the password by a link to the new address',
    async act({ app, owner, stranger }) {
      const stop = await takeAddress(app, stranger, 'thief@example.com');
      const token = await resetTokenFor(app, 'thief@example.com');
      await app.anonymous().auth.resetPassword({ token, password: strangersPassword });
      const again = await signInElsewhere(app, owner, strangersPassword);
      return { stop, password: strangersPassword, secrets: [again.accessToken] };
    },
  },
  {
    does: 'moves the account twice, and back to the first of the two by the link that stops a change',
    async act({ app, owner, stranger }) {
      const stop = await takeAddress(app, stranger, 'thief@example.com');
      app.clock.advance(1_000);
      const second = await takeAddress(app, stranger, 'other.thief@example.com');
      await app.anonymous().auth.stopEmailChange({ token: second });
      const token = await resetTokenFor(app, 'thief@example.com');
      await app.anonymous().auth.resetPassword({ token, password: strangersPassword });
      await signInElsewhere(app, owner, strangersPassword);
      return { stop, password: strangersPassword };
    },
  },
  {
    does: 'moves the account and asks for the old address with another one',
    async act({ app, owner, stranger }) {
      const stop = await takeAddress(app, stranger, 'thief@example.com');
      const fields = { username: 'thief', email: owner.user.email, password: strangersPassword };
      expect(await refusalOf(app.anonymous().auth.register(fields))).toMatchObject({ code: 'email_taken' });
      const other = await app.person();
      const move = { email: owner.user.email, currentPassword: other.password };
      expect(await refusalOf(other.caller.auth.changeEmail(move))).toMatchObject({ code: 'email_taken' });
      return { stop };
    },
  },
];

for (const { does, act } of ACTS) {
  test(`a stranger who knows the password ${does}: the owner has the account again, and alone`, async () => {
    await using app = await createTestApp();
    const owner = await confirmedPerson(app);
    const { email, username, id } = owner.user;
    const stranger = await signInElsewhere(app, owner);
    const { stop, secrets = [], password = owner.password } = await act({ app, owner, stranger });

    const { auth } = app.anonymous();
    const { resetToken } =
      stop === undefined
        ? { resetToken: await resetTokenFor(app, email) }
        : await auth.stopEmailChange({ token: stop });
    if (stop !== undefined) {
      // Nobody is faster with the password that both know.
      expect(await refusalOf(auth.login({ username, password }))).toMatchObject({ code: 'credentials_wrong' });
    }
    await auth.resetPassword({ token: resetToken, password: ownersPassword });

    for (const bearer of [stranger.accessToken, owner.accessToken, ...secrets]) {
      expect((await authenticate(app.providers, bearer)).actor).toEqual({ kind: 'anonymous' });
    }
    expect(await AuthorizationRequestModel.countDocuments({ accountId: id })).toBe(0);
    expect(await refusalOf(auth.login({ username, password }))).toMatchObject({ code: 'credentials_wrong' });
    const signedIn = await auth.login({ username, password: ownersPassword });
    expect(signedIn).toMatchObject({ id, email, emailConfirmed: true, pendingEmail: null });
  });
}

test.each([
  { did: 'registered with an address of somebody else’s', isMoved: false, isProved: false, left: 0 },
  { did: 'moved the account to an address of their own', isMoved: true, isProved: true, left: 0 },
  { did: 'knows the password of a confirmed account', isMoved: false, isProved: true, left: 1 },
])('what is connected when a stranger $did', async ({ isMoved, isProved, left }) => {
  await using app = await createTestApp();
  const owner = await app.person();
  const { id: accountId, email } = owner.user;
  if (isProved) await UserModel.updateOne({ _id: accountId }, { $set: { emailConfirmedAt: app.clock.now() } });
  const others = {
    provider: 'netlify' as const,
    credential: 'sealed',
    identity: 'stranger',
    warnings: [],
    usedZones: [],
  };
  await ConnectionModel.create({ _id: newId(), accountId, ...others, testedAt: app.clock.now() });
  const { auth } = app.anonymous();
  const token = isMoved
    ? (await auth.stopEmailChange({ token: await takeAddress(app, owner, 'thief@example.com') })).resetToken
    : await resetTokenFor(app, email);

  await auth.resetPassword({ token, password: ownersPassword });

  expect(await ConnectionModel.countDocuments({ accountId })).toBe(left);
  const told = { accountId, 'payload.title': 'Connections removed' };
  expect(await EventModel.countDocuments(told)).toBe(left === 0 ? 1 : 0);
});

test('an address that loses the account is told, and no link that was mailed there opens it', async () => {
  await using app = await createTestApp();
  const owner = await confirmedPerson(app);
  const stranger = await signInElsewhere(app, owner);
  const stop = await takeAddress(app, stranger, 'thief@example.com');
  const late = await askForEmail(app, stranger, 'other.thief@example.com');
  const reset = await resetTokenFor(app, 'thief@example.com');
  const { auth } = app.anonymous();

  const told = await mailsOf(app, () => auth.stopEmailChange({ token: stop }));

  expect(told).toMatchObject([{ kind: 'email-restored', to: 'thief@example.com' }]);
  const uses = {
    confirm: () => auth.confirmEmail({ token: late.confirm }),
    stop: () => auth.stopEmailChange({ token: late.stop }),
    reset: () => auth.resetPassword({ token: reset, password: strangersPassword }),
    again: () => auth.stopEmailChange({ token: stop }),
  };
  for (const [link, use] of Object.entries(uses)) {
    expect(await refusalOf(use()), link).toMatchObject({ code: 'token_invalid' });
  }
});

test('the link that stops a change is over after seven days, and then the old address is free', async () => {
  await using app = await createTestApp();
  const owner = await confirmedPerson(app);
  const stop = await takeAddress(app, owner, `new-${owner.user.email}`);
  app.clock.advance(7 * DAY_MS);
  const { auth } = app.anonymous();
  expect(await refusalOf(auth.stopEmailChange({ token: stop }))).toMatchObject({ code: 'token_invalid' });
  expect((await app.newcomer({ email: owner.user.email })).user.email).toBe(owner.user.email);
});

test('a stranger who knows the password deletes no account, also not after moving it', async () => {
  await using app = await createTestApp();
  const owner = await confirmedPerson(app);
  const { email, username } = owner.user;
  const stranger = await signInElsewhere(app, owner);
  const asked = { username, currentPassword: owner.password };

  expect(await stranger.caller.account.delete(asked)).toEqual({ mailedTo: email });
  await takeAddress(app, stranger, 'thief@example.com');
  const [mail] = await mailsOf(app, async () => {
    expect(await stranger.caller.account.delete(asked)).toEqual({ mailedTo: email });
  });
  expect(mail).toMatchObject({ kind: 'delete-account', to: email });
  expect(await owner.caller.user.get()).toMatchObject({ username });

  const other = await app.newcomer();
  const cookie = other.jar.read('refresh');
  const { account } = other.caller;
  const token = tokenIn(mail, '/auth/delete-account');
  expect(await account.confirmDeletion({ token })).toEqual({ accountId: owner.user.id });
  expect(other.jar.read('refresh'), 'who is logged in to another account stays there').toBe(cookie);
  expect(await refusalOf(account.confirmDeletion({ token }))).toMatchObject({ code: 'token_invalid' });
  expect((await app.newcomer({ username, email })).user.email).toBe(email);
});

test('links to other addresses that were asked for before keep nobody from deleting the account', async () => {
  await using app = await createTestApp({ limits: { forgotPasswordPerHour: { perAccount: 1, perAddress: 10 } } });
  const owner = await confirmedPerson(app);
  const { email, username } = owner.user;
  const move = (to: string) => owner.caller.auth.changeEmail({ email: to, currentPassword: owner.password });
  await move(`new-${email}`);
  expect(await refusalOf(move(`other-${email}`))).toMatchObject({
    code: 'rate_limited',
    message: expect.stringMatching(/^You asked for too many of these links\. Try again in \d+ minutes?\.$/),
  });
  const asked = { username, currentPassword: owner.password };
  expect(await owner.caller.account.delete(asked)).toEqual({ mailedTo: email });
});

test('the reader of an address that was mistyped when registering gets no power over the account', async () => {
  await using app = await createTestApp();
  const owner = await app.newcomer();
  const { email: slip } = owner.user;
  const email = `new-${slip}`;
  const mails = await mailsOf(app, () => owner.caller.auth.changeEmail({ email, currentPassword: owner.password }));
  const again = await mailsOf(app, () => owner.caller.auth.sendConfirmation());
  expect([...mails, ...again]).toMatchObject([
    { kind: 'confirm-email', to: email },
    { kind: 'confirm-email', to: email },
  ]);
  const told = await mailsOf(app, () =>
    app.anonymous().auth.confirmEmail({ token: tokenIn(again[0], '/auth/confirm') }),
  );
  expect(told).toEqual([]);
  expect((await app.newcomer({ email: slip })).user.email).toBe(slip);
});

test('an address that is confirmed while a change waits can stop it before the change can be confirmed', async () => {
  await using app = await createTestApp();
  const owner = await app.newcomer();
  const [own] = await mailsOf(app, () => owner.caller.auth.sendConfirmation());
  const move = { email: `new-${owner.user.email}`, currentPassword: owner.password };
  const [early] = await mailsOf(app, () => owner.caller.auth.changeEmail(move));
  const { auth } = app.anonymous();
  await auth.confirmEmail({ token: tokenIn(own, '/auth/confirm') });
  const late = auth.confirmEmail({ token: tokenIn(early, '/auth/confirm') });
  expect(await refusalOf(late)).toMatchObject({ code: 'token_invalid' });
  const mails = await mailsOf(app, () => owner.caller.auth.sendConfirmation());
  expect(mails).toMatchObject([{ to: move.email }, { kind: 'stop-email-change', to: owner.user.email }]);
});

test('an address that is confirmed while a new link is asked for gets the link that stops the change along with it', async () => {
  await using app = await createTestApp();
  const owner = await app.newcomer();
  const [own] = await mailsOf(app, () => owner.caller.auth.sendConfirmation());
  const move = { email: `new-${owner.user.email}`, currentPassword: owner.password };
  await owner.caller.auth.changeEmail(move);
  const { findOneAndUpdate } = RateLimitModel;
  const counted = async (...count: Parameters<typeof findOneAndUpdate>) => {
    await app.anonymous().auth.confirmEmail({ token: tokenIn(own, '/auth/confirm') });
    return findOneAndUpdate.apply(RateLimitModel, count).lean().orFail();
  };
  using _counter = vi
    .spyOn(RateLimitModel, 'findOneAndUpdate')
    .mockImplementationOnce((...count) => ({ lean: () => ({ orFail: () => counted(...count) }) }) as never);
  const mails = await mailsOf(app, () => owner.caller.auth.sendConfirmation());
  expect(mails).toMatchObject([{ to: move.email }, { kind: 'stop-email-change', to: owner.user.email }]);
});

test('an account that was moved is deleted by its new address alone once it cannot be taken back', async () => {
  await using app = await createTestApp();
  const owner = await confirmedPerson(app);
  await takeAddress(app, owner, 'new@example.com');
  app.clock.advance(7 * DAY_MS);
  const { caller } = await signInElsewhere(app, owner);
  const asked = { username: owner.user.username, currentPassword: owner.password };
  expect(await caller.account.delete(asked)).toEqual({ mailedTo: 'new@example.com' });
});
