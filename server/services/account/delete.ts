import type { DeleteAccountInput } from '../../../routers/schemas/account.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { AppError } from '../../errors.ts';
import { enqueueJob } from '../../jobs/queue/queue.ts';
import { ApiTokenModel } from '../../models/api-token.ts';
import { MailedTokenModel } from '../../models/mailed-token.ts';
import { SubscriptionModel } from '../../models/subscription.ts';
import { type UserDoc, UserModel } from '../../models/user.ts';
import { transaction } from '../../mongo.ts';
import { currentPasswordWrong, requireCurrentPassword } from '../auth/check-password.ts';
import { endSessions } from '../auth/end-sessions.ts';
import { usernameKey } from '../auth/name-keys.ts';
import type { SessionContext } from '../auth/sessions.ts';
import { signedInUser } from '../auth/signed-in-user.ts';
import { queueMail } from '../mail.ts';
import { recordUsedTrial } from '../subscription/used-trial.ts';

/**
 * Ends the account at once: nobody can sign in, sessions and API tokens are over, its name and address are free. A job
 * takes down what is live and erases the rest. A mail tells.
 * Throws `validation_failed` on `username` or `currentPassword`, `rate_limited`, `overloaded`.
 */
export async function deleteAccount(ctx: SessionContext, input: DeleteAccountInput): Promise<Done> {
  const user = await signedInUser(ctx);
  if (usernameKey(input.username) !== user.usernameKey) throw nameDiffers();
  await requireCurrentPassword(ctx, user, input.currentPassword);
  await endAccount(ctx, user);
  ctx.jar.write('refresh', null);
  return DONE;
}

async function endAccount(ctx: SessionContext, user: UserDoc): Promise<void> {
  const { _id: accountId, passwordHash, emailKey, email, username } = user;
  const gone = `deleted:${accountId}`;
  await transaction(async (session) => {
    const ended = await UserModel.updateOne(
      { _id: accountId, passwordHash, deletedAt: null },
      { $set: { deletedAt: ctx.now(), passwordHash: '', usernameKey: gone, emailKey: gone, pendingEmail: null } },
      { session },
    );
    // A reset came first: what was current is not any more.
    if (ended.matchedCount === 0) throw currentPasswordWrong();
    const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
    if (subscription?.trialStartedAt instanceof Date) await recordUsedTrial(session, emailKey);
    await endSessions(ctx, { accountId }, 'account_deleted', session);
    await ApiTokenModel.deleteMany({ accountId }, { session });
    await MailedTokenModel.deleteMany({ accountId }, { session });
    await enqueueJob(session, { name: 'delete-account', payload: {}, accountId, key: accountId });
    await queueMail(session, ctx.providers, { accountId, to: email, values: { kind: 'account-deleted', username } });
  });
}

function nameDiffers(): AppError {
  const message = 'This is not your username';
  return new AppError('validation_failed', message, { field: 'username', fieldErrors: { username: message } });
}
