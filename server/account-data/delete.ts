import type { ClientSession } from 'mongoose';
import type {
  AccountDeletion,
  ConfirmDeletionInput,
  DeleteAccountInput,
  DeletedAccount,
} from '../../routers/schemas/account.ts';
import { limitLinks } from '../account/auth/email/change-email.ts';
import { endOwnLogin, endSessions } from '../account/auth/end-sessions.ts';
import { decidingAddress, mailLink, redeemToken, tokenInvalid } from '../account/auth/mailed-token.ts';
import { currentPasswordWrong, requireCurrentPassword } from '../account/auth/password/check-password.ts';
import type { SessionContext } from '../account/auth/sessions.ts';
import { signedInUser } from '../account/auth/signed-in-user.ts';
import { mailNotice } from '../account/mail/queue-mail.ts';
import { usernameKey } from '../account/name-keys.ts';
import type { ServiceContext } from '../context.ts';
import { ApiTokenModel } from '../database/models/account/api-token.ts';
import { MailedTokenModel } from '../database/models/account/mailed-token.ts';
import { type UserDoc, UserModel } from '../database/models/account/user.ts';
import { SubscriptionModel } from '../database/models/plans/subscription.ts';
import { transaction } from '../database/mongo.ts';
import { AppError } from '../lib/errors.ts';
import { recordUsedTrial } from '../plans/subscription/used-trial.ts';
import { listSitesElsewhere } from '../publishing/deployments/index.ts';
import { enqueueJob } from '../queue/queue.ts';

/**
 * Ends the account at once when its address was never confirmed; otherwise mails a link that does, since a person who
 * knows a password is not always the owner. Throws `validation_failed` on `username` or `currentPassword`,
 * `rate_limited`, `overloaded`.
 */
export async function deleteAccount(ctx: SessionContext, input: DeleteAccountInput): Promise<AccountDeletion> {
  const user = await signedInUser(ctx);
  const { _id: accountId, username } = user;
  if (usernameKey(input.username) !== user.usernameKey) throw nameDiffers();
  await requireCurrentPassword(ctx, user, input.currentPassword);
  const to = await decidingAddress(ctx, user);
  if (to !== null) {
    await limitLinks(ctx, 'delete-account');
    const values = { kind: 'delete-account', username } as const;
    await transaction((session) => mailLink(session, ctx, { accountId, to, values }));
    return { mailedTo: to };
  }
  await transaction((session) => endAccount(session, ctx, user));
  ctx.jar.write('refresh', null);
  return { mailedTo: null };
}

/**
 * Ends the account by the link that was mailed to its address; who is logged in to another account stays there. Throws
 * `token_invalid`.
 */
export async function confirmDeletion(ctx: ServiceContext, input: ConfirmDeletionInput): Promise<DeletedAccount> {
  const accountId = await transaction(async (session) => {
    const { accountId } = await redeemToken(session, ctx, 'delete-account', input.token);
    const user = await UserModel.findOne({ _id: accountId, deletedAt: null }).session(session);
    if (user === null) throw tokenInvalid('delete-account');
    await endAccount(session, ctx, user);
    return accountId;
  });
  endOwnLogin(ctx, accountId);
  return { accountId };
}

/**
 * Ends the account at once: nobody can sign in, sessions and API tokens end, and name and address are free. A job
 * takes down the live sites and erases the rest. A mail confirms it, and names the sites that may stay at platforms.
 */
async function endAccount(session: ClientSession, ctx: ServiceContext, user: UserDoc): Promise<void> {
  const { _id: accountId, passwordHash, emailKey, username, emailConfirmedAt } = user;
  const gone = `deleted:${accountId}`;
  const ended = await UserModel.updateOne(
    { _id: accountId, passwordHash, deletedAt: null },
    { $set: { deletedAt: ctx.now(), passwordHash: '', usernameKey: gone, emailKey: gone, pendingEmail: null } },
    { session },
  );
  // A reset came first: the current password has changed.
  if (ended.matchedCount === 0) throw currentPasswordWrong();
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
  if (subscription?.trialStartedAt instanceof Date) await recordUsedTrial(session, emailKey);
  await endSessions(ctx, { accountId }, 'account_deleted', session);
  await ApiTokenModel.deleteMany({ accountId }, { session });
  await MailedTokenModel.deleteMany({ accountId }, { session });
  await enqueueJob(session, { name: 'delete-account', payload: {}, accountId, key: accountId });
  // An address that nobody has confirmed may be somebody else's, who is not sent the addresses of these sites.
  const remains = emailConfirmedAt instanceof Date ? await listSitesElsewhere(session, accountId) : [];
  await mailNotice(session, ctx.providers, user, { kind: 'account-deleted', username, remains });
}

function nameDiffers(): AppError {
  const message = 'This is not your username';
  return new AppError('validation_failed', message, { field: 'username', fieldErrors: { username: message } });
}
