import type { LoginInput, SignedIn } from '../../../routers/schemas/auth.ts';
import type { ServiceContext } from '../../context.ts';
import { toUser, type UserDoc, UserModel } from '../../database/models/account/user.ts';
import { transaction } from '../../database/mongo.ts';
import { AppError } from '../../lib/errors.ts';
import { joinDisclaimerAcceptance } from '../disclaimer.ts';
import { emailKey, usernameKey } from '../name-keys.ts';
import { knownDevice } from './device-cookie.ts';
import { type OpenedSession, openSession, saveSession } from './open-session.ts';
import { checkPassword } from './password/check-password.ts';
import { withHashingSlot } from './password/hashing-slot.ts';

/**
 * Signs in with name or address, and password: a session for this browser, its cookies, and an access token. An unknown
 * user and a wrong password get the same message after the same work. Throws `credentials_wrong`, `rate_limited`, `overloaded`.
 */
export async function login(ctx: ServiceContext, input: LoginInput): Promise<SignedIn> {
  const typed = input.username;
  // No user name holds an "@".
  const user = await UserModel.findOne(
    typed.includes('@') ? { emailKey: emailKey(typed) } : { usernameKey: usernameKey(typed) },
  );
  const { matches, needsRehash } = await checkPassword(ctx, {
    // An account has one count of failures, whichever of the two is typed.
    nameKey: user?.usernameKey ?? usernameKey(typed),
    password: input.password,
    passwordHash: user?.passwordHash ?? null,
    knownBy: knownDevice(ctx, user?._id),
  });
  if (user === null || !matches) {
    throw new AppError('credentials_wrong', 'Wrong username or password.');
  }
  const { _id: accountId, passwordHash } = user;
  const opened = await openUnlessChanged(ctx, accountId, passwordHash);
  // It has changed since it was checked, so it is checked again.
  if (opened === null) return login(ctx, input);
  if (needsRehash) await rehash(ctx, user, input.password);
  await joinDisclaimerAcceptance(ctx, accountId);
  await saveSession(ctx, accountId, opened);
  const signedIn = await UserModel.findOne({ _id: accountId }).orFail();
  return { ...toUser(signedIn, ctx.now()), ...opened.access };
}

/**
 * Opens a session if the password is still the one that was checked: a reset ends the sessions that it sees, and no
 * other may outlive it. Counting the sign-in makes the two conflict, so that one of them comes second.
 */
function openUnlessChanged(
  ctx: ServiceContext,
  accountId: string,
  passwordHash: string,
): Promise<OpenedSession | null> {
  return transaction(async (session) => {
    const counted = await UserModel.updateOne({ _id: accountId, passwordHash }, { $inc: { signIns: 1 } }, { session });
    return counted.matchedCount === 0 ? null : openSession(ctx, accountId, session);
  });
}

/** Stores the password under today's parameters, unless it was changed meanwhile. */
async function rehash(
  ctx: ServiceContext,
  { _id: accountId, usernameKey: nameKey, passwordHash: oldHash }: UserDoc,
  password: string,
): Promise<void> {
  const passwordHash = await withHashingSlot(ctx, nameKey, () => ctx.providers.hasher.hash(password));
  await UserModel.updateOne({ _id: accountId, passwordHash: oldHash }, { $set: { passwordHash } });
}
