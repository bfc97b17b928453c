import type { User } from '../../routers/schemas/user.ts';
import { AppError } from '../errors.ts';
import { toUser, UserModel } from '../models/user.ts';
import type { AccountContext } from '../service-context.ts';

/** The signed-in person, without password or token. Throws `unauthenticated` when the account is gone. */
export async function getUser(ctx: AccountContext): Promise<User> {
  const doc = await UserModel.findOne({ _id: ctx.actor.accountId });
  if (doc === null) throw new AppError('unauthenticated', 'Sign in to do this.');
  return toUser(doc);
}
