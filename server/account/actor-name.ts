import type { AccountContext } from '../context.ts';
import { UserModel } from '../database/models/account/user.ts';

/** Returns the name of the actor for the history: the user name, or the name of the API token. */
export async function actorName({ actor }: AccountContext): Promise<string> {
  if (actor.kind === 'token') return actor.tokenName;
  if (actor.kind === 'job') return actor.name;
  const user = await UserModel.findById(actor.accountId, { username: 1 });
  return user?.username ?? '';
}
