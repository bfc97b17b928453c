import type { ClientSession } from 'mongoose';
import { UserModel } from '../../database/models/account/user.ts';
import { AppError } from '../../lib/errors.ts';

/**
 * Refuses to change the plan of an account that is being deleted, which a call that began earlier may try. It joins
 * the caller's transaction if there is one. Throws `not_found` with that reason, and not with an error about the plan.
 */
export async function requireLiveAccount(session: ClientSession | null, accountId: string): Promise<void> {
  const live = await UserModel.exists({ _id: accountId, deletedAt: null }).session(session);
  if (live === null) throw accountEnded();
}

export function accountEnded(): AppError {
  return new AppError('not_found', 'This account is being deleted, so its plan can no longer change.');
}
