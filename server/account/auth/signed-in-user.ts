import type { AccountContext } from '../../context.ts';
import { type UserDoc, UserModel } from '../../database/models/account/user.ts';
import { signedOut } from '../../lib/errors.ts';

/** Returns the account's own user. Throws `unauthenticated` when the account is gone. */
export async function signedInUser(ctx: AccountContext): Promise<UserDoc> {
  const user = await UserModel.findOne({ _id: ctx.actor.accountId });
  if (user === null) throw signedOut();
  return user;
}
