import type { ConfirmEmailInput, ConfirmedEmail } from '../../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../../routers/schemas/primitives.ts';
import type { ServiceContext } from '../../../context.ts';
import { UserModel } from '../../../database/models/account/user.ts';
import { isDuplicateKey, transaction } from '../../../database/mongo.ts';
import { publishEvent } from '../../../events/publish.ts';
import { notFound } from '../../../lib/errors.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { emailKey } from '../../name-keys.ts';
import { closeTokens, isHeldEmail, mailLink, redeemToken, tokenInvalid } from '../mailed-token.ts';
import { emailTaken } from '../register.ts';
import type { SessionContext } from '../sessions.ts';
import { signedInUser } from '../signed-in-user.ts';
import { limitConfirmations, mailEmailChange } from './change-email.ts';

/**
 * Mails another link to the unconfirmed address, if there is one; as often an hour as links for a new password. Throws
 * `rate_limited`.
 */
export async function sendConfirmation(ctx: SessionContext): Promise<Done> {
  const { _id: accountId, username, email, emailConfirmedAt, pendingEmail = null } = await signedInUser(ctx);
  if (pendingEmail === null && emailConfirmedAt instanceof Date) return DONE;
  await limitConfirmations(ctx, pendingEmail ?? email);
  await transaction(async (session) => {
    // The write, if only of its time, conflicts with a confirmation of the old address, which then gets its stop link.
    const user = await UserModel.findOneAndUpdate(
      { _id: accountId, email, pendingEmail },
      { $set: { pendingEmail } },
      { session, returnDocument: 'after' },
    );
    // The address that the mail was counted for is no longer the one to confirm.
    if (user === null) return;
    if (pendingEmail !== null) return mailEmailChange(session, ctx, user, pendingEmail);
    await mailLink(session, ctx, { accountId, to: email, values: { kind: 'confirm-email', username } });
  });
  return DONE;
}

/**
 * Confirms the address that the link was mailed to: the account's own, or a waiting new one, which then replaces the
 * old one; if the old one was itself confirmed it is notified, and its link to stop the change still works. A link to
 * any other address belongs to a change that was stopped or replaced. A mailed link opens in a tab of its own, so
 * other tabs are informed. Throws `token_invalid`, `email_taken`.
 */
export async function confirmEmail(ctx: ServiceContext, input: ConfirmEmailInput): Promise<ConfirmedEmail> {
  return transaction(async (session) => {
    const { accountId, email } = await redeemToken(session, ctx, 'confirm-email', input.token);
    const user = await UserModel.findOne({ _id: accountId, deletedAt: null }).session(session);
    if (user === null) throw notFound('account');
    const { email: former, emailConfirmedAt, username, pendingEmail } = user;
    if (email !== former && email !== pendingEmail) throw tokenInvalid('confirm-email');
    user.set({ email, emailKey: emailKey(email), emailConfirmedAt: ctx.now() });
    if (email === pendingEmail) {
      if (await isHeldEmail(ctx, emailKey(email), accountId)) throw emailTaken();
      user.set({ pendingEmail: null });
    }
    await user.save({ session });
    await publishEvent(session, accountId, { type: 'analytics_update' });
    if (emailKey(former) === emailKey(email)) return { email };
    // A link for a new password in the old mailbox no longer belongs to the owner.
    await closeTokens(session, ctx, accountId, 'reset-password');
    // The reader of an address that was never confirmed may be a stranger, who has no link to stop the change either.
    if (!(emailConfirmedAt instanceof Date)) return { email };
    const values = { kind: 'email-changed', username, newEmail: email } as const;
    await queueMail(session, ctx.providers, { accountId, to: former, values });
    return { email };
  }).catch((error: unknown) => {
    throw isDuplicateKey(error, 'emailKey') ? emailTaken() : error;
  });
}
