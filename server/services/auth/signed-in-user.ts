import { signedOut } from '../../errors.ts';
import { type UserDoc, UserModel } from '../../models/user.ts';
import type { AccountContext } from '../../service-context.ts';

/** Returns the account's own user. Throws `unauthenticated` when the account is gone. */
export async function signedInUser(ctx: AccountContext): Promise<UserDoc> {
  const user = await UserModel.findOne({ _id: ctx.actor.accountId });
  if (user === null) throw signedOut();
  return user;
}
