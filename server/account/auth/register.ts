import type { RegisterInput, SignedIn } from '../../../routers/schemas/auth.ts';
import type { ServiceContext } from '../../context.ts';
import { toUser, UserModel } from '../../database/models/account/user.ts';
import { isDuplicateKey, newId, transaction } from '../../database/mongo.ts';
import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { joinDisclaimerAcceptance } from '../disclaimer.ts';
import { mailsTo } from '../mail/queue-mail.ts';
import { emailKey, spacesCollapsed, usernameKey } from '../name-keys.ts';
import { countAgainst, countsByAddress, isWithin } from '../rate-limit.ts';
import { login } from './login.ts';
import { isHeldEmail, mailLink } from './mailed-token.ts';
import { openSession, saveSession } from './open-session.ts';
import { withHashingSlot } from './password/hashing-slot.ts';

/**
 * Makes an account and signs it in on this browser; the address gets a link to confirm it. One that was made a moment
 * ago with the same three is signed in. The unique indexes decide a race. Throws `username_taken` or `email_taken` with
 * their field, `rate_limited`, `overloaded`.
 */
export async function register(ctx: ServiceContext, input: RegisterInput): Promise<SignedIn> {
  await limitTakenNames(ctx);
  const names = {
    username: spacesCollapsed(input.username),
    usernameKey: usernameKey(input.username),
    email: input.email,
    emailKey: emailKey(input.email),
  };
  if (await isJustMade(ctx, names)) return loginAgain(ctx, input);
  await refuseTaken(ctx, names);
  const passwordHash = await withHashingSlot(ctx, names.usernameKey, () => ctx.providers.hasher.hash(input.password));
  const accountId = newId();
  // Other people's mails to this mailbox keep nobody from registering: another link can be requested.
  const isMailed = await isWithin(mailsTo(ctx.providers, 'confirm-email', input.email));
  const opened = await transaction(async (session) => {
    await UserModel.create([{ _id: accountId, ...names, passwordHash }], { session });
    const values = { kind: 'confirm-email', username: names.username } as const;
    if (isMailed) await mailLink(session, ctx, { accountId, to: names.email, values });
    return openSession(ctx, accountId, session);
  }).catch(async (error: unknown) => {
    const taken = takenError(error);
    if (taken !== undefined && (await isJustMade(ctx, names))) return null;
    throw taken ?? error;
  });
  if (opened === null) return loginAgain(ctx, input);
  await joinDisclaimerAcceptance(ctx, accountId);
  await saveSession(ctx, accountId, opened);
  const user = await UserModel.findOne({ _id: accountId }).orFail();
  return { ...toUser(user, ctx.now()), ...opened.access };
}

/**
 * Counts a call whose answer reveals whether a name or an address is taken, so that nobody can query a list of them:
 * by address, and by account too if somebody is signed in. Throws `rate_limited`.
 */
export async function limitTakenNames(ctx: ServiceContext): Promise<void> {
  const limit = ctx.providers.limits.registrationsPerHour;
  const taken = { name: 'taken-names', limit, windowMs: HOUR_MS };
  const counts = countsByAddress(ctx, taken);
  if (ctx.actor.kind !== 'anonymous') counts.push({ ...taken, key: ctx.actor.accountId });
  for (const count of counts) await countAgainst(count);
}

/**
 * A person whose page was reloaded, or whose connection broke, before the answer came registers again within this time.
 */
const ASKED_AGAIN_MS = 10 * MINUTE_MS;

async function isJustMade(ctx: ServiceContext, names: { usernameKey: string; emailKey: string }): Promise<boolean> {
  const { usernameKey: name, emailKey: address } = names;
  const createdAt = { $gt: new Date(ctx.now().getTime() - ASKED_AGAIN_MS) };
  return (await UserModel.exists({ usernameKey: name, emailKey: address, createdAt })) !== null;
}

/** Signs in by the limits of a login; a wrong password gets the answer that any taken name gets. */
async function loginAgain(ctx: ServiceContext, input: RegisterInput): Promise<SignedIn> {
  try {
    return await login(ctx, input);
  } catch (error) {
    throw error instanceof AppError && error.code === 'credentials_wrong' ? usernameTaken() : error;
  }
}

/** Saves the work of hashing when the answer is known; the indexes decide. */
async function refuseTaken(ctx: ServiceContext, names: { usernameKey: string; emailKey: string }): Promise<void> {
  if ((await UserModel.exists({ usernameKey: names.usernameKey })) !== null) throw usernameTaken();
  if (await isEmailTaken(ctx, names.emailKey, null)) throw emailTaken();
}

/** Returns whether another account has the address, or may still get it back. */
export async function isEmailTaken(ctx: ServiceContext, key: string, ownAccountId: string | null): Promise<boolean> {
  const other = await UserModel.exists({ emailKey: key, _id: { $ne: ownAccountId } });
  return other !== null || (await isHeldEmail(ctx, key, ownAccountId));
}

function takenError(error: unknown): AppError | undefined {
  if (isDuplicateKey(error, 'usernameKey')) return usernameTaken();
  if (isDuplicateKey(error, 'emailKey')) return emailTaken();
  return undefined;
}

/** Makes `username_taken`, on its field. */
export function usernameTaken(): AppError {
  const message = 'This username is already taken';
  return new AppError('username_taken', message, { field: 'username', fieldErrors: { username: message } });
}

/** Makes `email_taken`, on its field. */
export function emailTaken(): AppError {
  const message = 'This email address is already in use';
  return new AppError('email_taken', message, { field: 'email', fieldErrors: { email: message } });
}
