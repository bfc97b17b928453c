import type { StopEmailChangeInput, StoppedEmailChange } from '../../../../routers/schemas/auth.ts';
import type { ServiceContext } from '../../../context.ts';
import { UserModel } from '../../../database/models/account/user.ts';
import { isDuplicateKey, transaction } from '../../../database/mongo.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { emailKey } from '../../name-keys.ts';
import { endAccess, endOwnLogin, forgetConnections } from '../end-sessions.ts';
import { closeTokens, makeToken, redeemToken, tokenInvalid } from '../mailed-token.ts';
import { emailTaken } from '../register.ts';

/**
 * Stops a change of address by the link that was mailed to the old address, or reverts it if the new one is already
 * confirmed: the account has the old address again. The person who requested the change knows the password, so it is
 * invalidated, as are all sign-ins made with it, and connections made while they had the account alone; the answer
 * leads to a new password, and so does "Forgot your password?". An address that loses the account is notified; who is
 * logged in to another account stays there. Throws `token_invalid`.
 */
export async function stopEmailChange(ctx: ServiceContext, input: StopEmailChangeInput): Promise<StoppedEmailChange> {
  const stopped = await transaction(async (session) => {
    const { accountId, email } = await redeemToken(session, ctx, 'stop-email-change', input.token);
    const user = await UserModel.findOneAndUpdate(
      { _id: accountId, deletedAt: null },
      {
        $set: {
          email,
          emailKey: emailKey(email),
          // The reader of the link has proved the address.
          emailConfirmedAt: ctx.now(),
          pendingEmail: null,
          passwordHash: ctx.providers.hasher.noPassword(),
        },
      },
      { session, returnDocument: 'before' },
    );
    if (user === null) throw tokenInvalid('stop-email-change');
    await endAccess(ctx, accountId, 'email_restored', session);
    await closeTokens(session, ctx, accountId, 'reset-password');
    const isMoved = user.emailKey !== emailKey(email);
    if (isMoved || !(user.emailConfirmedAt instanceof Date)) await forgetConnections(accountId, session);
    if (isMoved) {
      const values = { kind: 'email-restored', username: user.username, oldEmail: email } as const;
      await queueMail(session, ctx.providers, { accountId, to: user.email, values });
    }
    const { secret } = await makeToken(session, ctx, { accountId, purpose: 'reset-password', email });
    return { accountId, resetToken: secret };
  }).catch((error: unknown) => {
    throw isDuplicateKey(error, 'emailKey') ? emailTaken() : error;
  });
  endOwnLogin(ctx, stopped.accountId);
  return stopped;
}
