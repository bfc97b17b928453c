import type { NotificationSettings, UpdateUserInput, User } from '../../routers/schemas/user.ts';
import type { AccountContext } from '../context.ts';
import { toUser, type UserDoc, UserModel } from '../database/models/account/user.ts';
import { isDuplicateKey, transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { signedOut } from '../lib/errors.ts';
import { limitTakenNames, usernameTaken } from './auth/register.ts';
import { signedInUser } from './auth/signed-in-user.ts';
import { spacesCollapsed, usernameKey } from './name-keys.ts';

/** Returns the signed-in person, without password or token. Throws `unauthenticated` when the account is gone. */
export async function getUser(ctx: AccountContext): Promise<User> {
  const user = await UserModel.findOne({ _id: ctx.actor.accountId }).lean();
  if (user === null) throw signedOut();
  return toUser(user, ctx.now());
}

/** Returns the mails that the person wants. Throws `unauthenticated` when the account is gone. */
export async function getNotifications(ctx: AccountContext): Promise<NotificationSettings> {
  return toNotifications(await signedInUser(ctx));
}

/** Changes the name for signing in, and informs other tabs. Throws `username_taken` on its field, `rate_limited`. */
export async function updateUser(ctx: AccountContext, input: UpdateUserInput): Promise<User> {
  const { accountId } = ctx.actor;
  await limitTakenNames(ctx);
  const names = { username: spacesCollapsed(input.username), usernameKey: usernameKey(input.username) };
  const doc = await transaction(async (session) => {
    await publishEvent(session, accountId, { type: 'analytics_update' });
    return UserModel.findOneAndUpdate(
      { _id: accountId, deletedAt: null },
      { $set: names },
      { session, returnDocument: 'after' },
    );
  }).catch((error: unknown) => {
    throw isDuplicateKey(error, 'usernameKey') ? usernameTaken() : error;
  });
  if (doc === null) throw signedOut();
  return toUser(doc, ctx.now());
}

/** Throws `unauthenticated` when the account is gone. */
export async function updateNotifications(
  ctx: AccountContext,
  input: NotificationSettings,
): Promise<NotificationSettings> {
  const doc = await UserModel.findOneAndUpdate(
    { _id: ctx.actor.accountId },
    { $set: { notifications: input } },
    { returnDocument: 'after' },
  );
  if (doc === null) throw signedOut();
  return toNotifications(doc);
}

/** Returns the mails that the account wants. */
export function toNotifications({ notifications }: UserDoc): NotificationSettings {
  const { releaseFailed, releaseLive } = notifications;
  return { releaseFailed, releaseLive };
}
