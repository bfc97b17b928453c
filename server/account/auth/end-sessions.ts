import type { ClientSession } from 'mongoose';
import type { ServiceContext } from '../../context.ts';
import { ApiTokenModel } from '../../database/models/account/api-token.ts';
import { SessionModel } from '../../database/models/account/session.ts';
import { AuthorizationRequestModel } from '../../database/models/authorization-request.ts';
import { ConnectionModel } from '../../database/models/connection.ts';
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
 * Ends sessions at once: their tokens are no longer found, and every instance learns of it through the change stream
 * and closes their sockets. Returns how many were alive.
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
    // Setting its end to now lets it be swept a day later and not after three months.
    { $set: { revokedAt: now, revokedReason: reason, endsAt: now } },
    { ...(session !== undefined && { session }) },
  );
  return ended.modifiedCount;
}

/**
 * Ends all access that somebody who knew the password may have prepared: sessions, API tokens, and unfinished sign-ins
 * at platforms.
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

/** Ends the login of the browser that opened a mailed link, unless it is logged in to another account. */
export function endOwnLogin(ctx: ServiceContext, accountId: string): void {
  const isOther = ctx.actor.kind === 'account' && ctx.actor.accountId !== accountId;
  if (!isOther) ctx.jar.write('refresh', null);
}

/**
 * Forgets connections that were made while the address of the account was unconfirmed, and publishes that. They may be
 * a stranger's, who registered with somebody else's address or moved the account: the owner's sites would go to the
 * stranger's platforms.
 */
export async function forgetConnections(accountId: string, session: ClientSession): Promise<void> {
  const { deletedCount } = await ConnectionModel.deleteMany({ accountId }, { session });
  if (deletedCount === 0) return;
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'Connections removed',
    message:
      'Your address is confirmed. Connections to platforms and DNS providers that were made before may be somebody else’s, so they were removed. Connect your own accounts again.',
  });
}
