import type { ClientSession } from 'mongoose';
import type { ChangeEmailInput, StopEmailChangeInput } from '../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { HOUR_MS } from '../../durations.ts';
import { AppError } from '../../errors.ts';
import { type UserDoc, UserModel } from '../../models/user.ts';
import { transaction } from '../../mongo.ts';
import type { ServiceContext } from '../../service-context.ts';
import { countAgainst } from '../rate-limit.ts';
import { currentPasswordWrong, requireCurrentPassword } from './check-password.ts';
import { closeTokens, mailLink, redeemToken } from './mailed-token.ts';
import { emailKey } from './name-keys.ts';
import { emailTaken, limitTakenNames } from './register.ts';
import type { SessionContext } from './sessions.ts';
import { signedInUser } from './signed-in-user.ts';

/**
 * Asks for another address; the old one stays until the new one is confirmed, and is told at once, with a link that stops
 * the change: whoever knows the password could otherwise take the account over unseen. Only the address that was asked for
 * last can be confirmed.
 * Throws `validation_failed` on `currentPassword` or `email`, `email_taken`, `rate_limited`, `overloaded`.
 */
export async function changeEmail(ctx: SessionContext, input: ChangeEmailInput): Promise<Done> {
  const { accountId } = ctx.actor;
  const user = await signedInUser(ctx);
  const { passwordHash } = user;
  await requireCurrentPassword(ctx, user, input.currentPassword);
  if (user.email === input.email) {
    const message = 'This is already your address';
    throw new AppError('validation_failed', message, { field: 'email', fieldErrors: { email: message } });
  }
  await limitTakenNames(ctx);
  const key = emailKey(input.email);
  if ((await UserModel.exists({ emailKey: key, _id: { $ne: accountId } })) !== null) throw emailTaken();
  await limitConfirmations(ctx);
  await transaction(async (session) => {
    const asked = await UserModel.updateOne(
      { _id: accountId, passwordHash },
      { $set: { pendingEmail: input.email } },
      { session },
    );
    // A new password came first: a change that was asked for with the old one must not outlive it.
    if (asked.matchedCount === 0) throw currentPasswordWrong();
    await mailEmailChange(session, ctx, user, input.email);
  });
  return DONE;
}

/** Stops a change of address by the link that the old address was mailed. Throws `token_invalid`. */
export async function stopEmailChange(ctx: ServiceContext, input: StopEmailChangeInput): Promise<Done> {
  await transaction(async (session) => {
    const { accountId } = await redeemToken(session, ctx, 'stop-email-change', input.token);
    await endEmailChange(session, ctx, accountId);
  });
  return DONE;
}

/** Ends a change of address that waits: its link confirms nothing any more, and there is nothing left to stop. */
export async function endEmailChange(session: ClientSession, ctx: ServiceContext, accountId: string): Promise<void> {
  await UserModel.updateOne({ _id: accountId }, { $set: { pendingEmail: null } }, { session });
  await closeTokens(session, ctx, accountId, 'stop-email-change');
}

/** Mails the new address a link that confirms it, and the old one a link that stops the change. */
export async function mailEmailChange(
  session: ClientSession,
  ctx: ServiceContext,
  { _id: accountId, username, email }: Pick<UserDoc, '_id' | 'username' | 'email'>,
  newEmail: string,
): Promise<void> {
  await mailLink(session, ctx, { accountId, to: newEmail, values: { kind: 'confirm-email', username } });
  await mailLink(session, ctx, { accountId, to: email, values: { kind: 'stop-email-change', username, newEmail } });
}

/** Counts a mail to an address that the account named: as many an hour as links for a new password. */
export async function limitConfirmations(ctx: SessionContext): Promise<void> {
  await countAgainst({
    name: 'confirm-email',
    key: ctx.actor.accountId,
    limit: ctx.providers.limits.forgotPasswordPerHour.perAccount,
    windowMs: HOUR_MS,
  });
}
