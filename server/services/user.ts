import type { NotificationSettings, UpdateUserInput, User } from '../../routers/schemas/user.ts';
import { signedOut } from '../errors.ts';
import { publishEvent } from '../events/publish.ts';
import { toUser, type UserDoc, UserModel } from '../models/user.ts';
import { isDuplicateKey, transaction } from '../mongo.ts';
import type { AccountContext } from '../service-context.ts';
import { spacesCollapsed, usernameKey } from './auth/names.ts';
import { usernameTaken } from './auth/register.ts';
import { signedInUser } from './auth/signed-in-user.ts';

/** The signed-in person, without password or token. Throws `unauthenticated` when the account is gone. */
export async function getUser(ctx: AccountContext): Promise<User> {
  return toUser(await signedInUser(ctx));
}

/** Which mails the person wants. Throws `unauthenticated` when the account is gone. */
export async function getNotifications(ctx: AccountContext): Promise<NotificationSettings> {
  return toNotifications(await signedInUser(ctx));
}

/** Changes the name that one signs in with; other tabs learn of it. Throws `username_taken` on its field. */
export async function updateUser(ctx: AccountContext, input: UpdateUserInput): Promise<User> {
  const { accountId } = ctx.actor;
  const names = { username: spacesCollapsed(input.username), usernameKey: usernameKey(input.username) };
  const doc = await transaction(async (session) => {
    await publishEvent(session, accountId, { type: 'analytics_update' });
    return UserModel.findOneAndUpdate({ _id: accountId }, { $set: names }, { session, returnDocument: 'after' });
  }).catch((error: unknown) => {
    throw isDuplicateKey(error, 'usernameKey') ? usernameTaken() : error;
  });
  if (doc === null) throw signedOut();
  return toUser(doc);
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

/** Which mails the account wants. */
export function toNotifications({ notifications }: UserDoc): NotificationSettings {
  const { releaseFailed, releaseLive } = notifications;
  return { releaseFailed, releaseLive };
}
