import type {
  CheckResetLinkInput,
  PasswordReset,
  ResetLinkCheck,
  ResetPasswordInput,
} from '../../../../routers/schemas/auth.ts';
import type { ServiceContext } from '../../../context.ts';
import { UserModel } from '../../../database/models/account/user.ts';
import { transaction } from '../../../database/mongo.ts';
import { notFound } from '../../../lib/errors.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { emailKey } from '../../name-keys.ts';
import { endAccess, endOwnLogin, forgetConnections } from '../end-sessions.ts';
import { isOpenToken, redeemToken, tokenInvalid } from '../mailed-token.ts';
import { withHashingSlot } from './hashing-slot.ts';

/**
 * Returns whether a mailed link can still set a new password, so that nobody fills in a form in vain. Its token is a
 * secret of 256 bits: its holder may know, and the check does not use it up.
 */
export async function checkResetLink(ctx: ServiceContext, input: CheckResetLinkInput): Promise<ResetLinkCheck> {
  return { isOpen: await isOpenToken(ctx, 'reset-password', input.token) };
}

/**
 * Sets a new password by a mailed link and signs nobody in; a mail confirms it. All access that somebody who knew the
 * old password may have prepared ends: sessions, API tokens, and a waiting change of address. The reader of the link
 * has proved the address, which must still be the account's own; connections from before any such proof are forgotten.
 * Throws `token_invalid`, `overloaded`.
 */
export async function resetPassword(ctx: ServiceContext, input: ResetPasswordInput): Promise<PasswordReset> {
  // Saves the work that would come before the token is used.
  if (!(await isOpenToken(ctx, 'reset-password', input.token))) throw tokenInvalid('reset-password');
  const passwordHash = await withHashingSlot(ctx, null, () => ctx.providers.hasher.hash(input.password));
  const accountId = await transaction(async (session) => {
    const { accountId, email } = await redeemToken(session, ctx, 'reset-password', input.token);
    const user = await UserModel.findOneAndUpdate(
      { _id: accountId, deletedAt: null },
      { $set: { passwordHash, pendingEmail: null } },
      { session, returnDocument: 'after' },
    );
    if (user === null) throw notFound('account');
    if (user.emailKey !== emailKey(email)) throw tokenInvalid('reset-password');
    if (!(user.emailConfirmedAt instanceof Date)) {
      await UserModel.updateOne({ _id: accountId }, { $set: { emailConfirmedAt: ctx.now() } }, { session });
      await forgetConnections(accountId, session);
    }
    await endAccess(ctx, accountId, 'password_reset', session);
    const values = { kind: 'password-changed', username: user.username, how: 'reset' } as const;
    await queueMail(session, ctx.providers, { accountId, to: user.email, values });
    return accountId;
  });
  endOwnLogin(ctx, accountId);
  return { accountId };
}
