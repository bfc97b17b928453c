import type { ClientSession } from 'mongoose';
import type { ChangeEmailInput } from '../../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../../routers/schemas/primitives.ts';
import type { ServiceContext } from '../../../context.ts';
import { type UserDoc, UserModel } from '../../../database/models/account/user.ts';
import { transaction } from '../../../database/mongo.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import { AppError } from '../../../lib/errors.ts';
import { mailsTo } from '../../mail/queue-mail.ts';
import { emailKey } from '../../name-keys.ts';
import { countAgainst } from '../../rate-limit.ts';
import { type MailedPurpose, mailLink } from '../mailed-token.ts';
import { currentPasswordWrong, requireCurrentPassword } from '../password/check-password.ts';
import { emailTaken, isEmailTaken, limitTakenNames } from '../register.ts';
import type { SessionContext } from '../sessions.ts';
import { signedInUser } from '../signed-in-user.ts';

/**
 * Requests a change of address. The old address stays until the new one is confirmed, and if it was itself confirmed
 * is notified at once with a link that stops or reverts the change (stop-email-change.ts): anybody who knows the
 * password could otherwise take the account over. Only the latest requested address can be confirmed. Throws
 * `validation_failed` on `currentPassword` or `email`, `email_taken`, `rate_limited`, `overloaded`.
 */
export async function changeEmail(ctx: SessionContext, input: ChangeEmailInput): Promise<Done> {
  const { accountId } = ctx.actor;
  const user = await signedInUser(ctx);
  const { passwordHash } = user;
  // This comes before the password is hashed, which is work.
  if (user.email === input.email) {
    const message = 'This is already your address';
    throw new AppError('validation_failed', message, { field: 'email', fieldErrors: { email: message } });
  }
  await requireCurrentPassword(ctx, user, input.currentPassword);
  await limitTakenNames(ctx);
  if (await isEmailTaken(ctx, emailKey(input.email), accountId)) throw emailTaken();
  await limitConfirmations(ctx, input.email);
  await transaction(async (session) => {
    const asked = await UserModel.findOneAndUpdate(
      { _id: accountId, passwordHash },
      { $set: { pendingEmail: input.email } },
      { session, returnDocument: 'after' },
    );
    // A new password came first: a change requested with the old one must not outlive it.
    if (asked === null) throw currentPasswordWrong();
    await mailEmailChange(session, ctx, asked, input.email);
  });
  return DONE;
}

/**
 * Withdraws a change of address that waits: the link that would confirm it stops working. The one that was mailed to
 * the old address stays, for it is also there against somebody who knows the password. Throws `conflict` when none
 * waits.
 */
export async function withdrawEmailChange(ctx: SessionContext): Promise<Done> {
  const waiting = { _id: ctx.actor.accountId, pendingEmail: { $ne: null } };
  const { matchedCount } = await UserModel.updateOne(waiting, { $set: { pendingEmail: null } });
  if (matchedCount === 0) throw new AppError('conflict', 'No change of your email address is waiting any more.');
  return DONE;
}

/**
 * Mails the new address a link that confirms it, and the old one a link that stops the change. An address that was
 * never confirmed gets none: it may be a slip that this change corrects, and its reader a stranger. Once it is
 * confirmed, only a new link can confirm the change (`redeemToken`), and it gets its own along with that.
 */
export async function mailEmailChange(
  session: ClientSession,
  ctx: ServiceContext,
  { _id: accountId, username, email, emailConfirmedAt }: UserDoc,
  newEmail: string,
): Promise<void> {
  const values = { kind: 'confirm-email', username, isChange: true } as const;
  await mailLink(session, ctx, { accountId, to: newEmail, values });
  if (!(emailConfirmedAt instanceof Date)) return;
  await mailLink(session, ctx, { accountId, to: email, values: { kind: 'stop-email-change', username, newEmail } });
}

/** Counts a mail to an address that the account named, with a limit for each mailbox over all accounts. */
export async function limitConfirmations(ctx: SessionContext, to: string): Promise<void> {
  await limitLinks(ctx, 'confirm-email');
  await countAgainst(mailsTo(ctx.providers, 'confirm-email', to));
}

/** Counts a link that the account asks for: as many of a kind an hour as links for a new password. */
export async function limitLinks({ actor, providers }: SessionContext, name: MailedPurpose): Promise<void> {
  const limit = providers.limits.forgotPasswordPerHour.perAccount;
  const rule = 'You asked for too many of these links.';
  await countAgainst({ name, key: actor.accountId, limit, windowMs: HOUR_MS, rule });
}
