import type { ClientSession } from 'mongoose';
import type { ServiceContext } from '../../context.ts';
import { ApiTokenModel } from '../../database/models/api-token.ts';
import { AuthorizationRequestModel } from '../../database/models/authorization-request.ts';
import { ConnectionModel } from '../../database/models/connection.ts';
import { SessionModel } from '../../database/models/session.ts';
import { publishEvent } from '../../events/publish.ts';

export type EndReason =
  | 'logout'
  | 'revoked'
  | 'too_many'
  | 'password_changed'
  | 'password_reset'
  | 'email_restored'
  | 'token_reused'
  | 'account_deleted';
type SessionFilter = { accountId: string; _id?: string | { $in: string[] } | { $ne: string } };

/**
 * Ends sessions at once: their tokens find nothing any more, and every instance learns of it through the change stream
 * and closes their sockets. Says how many were alive.
 */
export async function endSessions(
  ctx: ServiceContext,
  filter: SessionFilter,
  reason: EndReason,
  session?: ClientSession,
): Promise<number> {
  const now = ctx.now();
  const ended = await SessionModel.updateMany(
    { ...filter, revokedAt: null },
    // Its end is now, so that it is swept a day later instead of after three months.
    { $set: { revokedAt: now, revokedReason: reason, endsAt: now } },
    { ...(session !== undefined && { session }) },
  );
  return ended.modifiedCount;
}

/**
 * Ends whatever somebody who knew the password may have prepared: sessions, API tokens, and sign-ins at platforms that
 * were begun and have not come back.
 */
export async function endAccess(
  ctx: ServiceContext,
  accountId: string,
  reason: EndReason,
  session: ClientSession,
): Promise<void> {
  await endSessions(ctx, { accountId }, reason, session);
  await ApiTokenModel.deleteMany({ accountId }, { session });
  await AuthorizationRequestModel.deleteMany({ accountId }, { session });
}

/**
 * Forgets what was connected while nobody had proved the address of the account, and tells so. It may be a stranger's, who
 * registered with an address of somebody else's or moved the account: its sites would go to their platforms.
 */
export async function forgetConnections(accountId: string, session: ClientSession): Promise<void> {
  const { deletedCount } = await ConnectionModel.deleteMany({ accountId }, { session });
  if (deletedCount === 0) return;
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'Connections removed',
    message:
      'Your address is proved now. Platforms and DNS providers that were connected before may be of somebody else, so they were removed. Connect yours again.',
  });
}
