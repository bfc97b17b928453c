import type { ChangePasswordInput } from '../../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../../routers/schemas/primitives.ts';
import { UserModel } from '../../../database/models/account/user.ts';
import { transaction } from '../../../database/mongo.ts';
import { mailNotice } from '../../mail/queue-mail.ts';
import { endSessions } from '../end-sessions.ts';
import { closeTokens } from '../mailed-token.ts';
import type { SessionContext } from '../sessions.ts';
import { signedInUser } from '../signed-in-user.ts';
import { countCredentialAct, currentPasswordWrong, requireCurrentPassword } from './check-password.ts';
import { withHashingSlot } from './hashing-slot.ts';

/**
 * Changes the password of the signed-in person, who must know the current one (ASVS 6.2.3). All other sessions end,
 * and so do open reset links and a waiting change of address, but no link that stops one: anybody who knows the
 * password could end it. A mail confirms it. Throws `validation_failed` on `currentPassword`, `rate_limited`,
 * `overloaded`.
 */
export async function changePassword(ctx: SessionContext, input: ChangePasswordInput): Promise<Done> {
  const { accountId, sessionId } = ctx.actor;
  const user = await signedInUser(ctx);
  await requireCurrentPassword(ctx, user, input.currentPassword);
  await countCredentialAct(ctx);
  const passwordHash = await withHashingSlot(ctx, user.usernameKey, () => ctx.providers.hasher.hash(input.newPassword));
  await transaction(async (session) => {
    const known = { _id: accountId, passwordHash: user.passwordHash };
    const changed = await UserModel.updateOne(known, { $set: { passwordHash, pendingEmail: null } }, { session });
    // A reset came first: the current password has changed.
    if (changed.matchedCount === 0) throw currentPasswordWrong();
    await endSessions(ctx, { accountId, _id: { $ne: sessionId } }, 'password_changed', session);
    await closeTokens(session, ctx, accountId, 'reset-password');
    const values = { kind: 'password-changed', username: user.username, how: 'changed' } as const;
    await mailNotice(session, ctx.providers, user, values);
  });
  return DONE;
}
