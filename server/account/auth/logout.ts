import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import type { ServiceContext } from '../../context.ts';
import { SessionModel } from '../../database/models/account/session.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';
import { isAccessToken, LOGOUT_GRACE_MS } from './access-token.ts';
import { endSessions } from './end-sessions.ts';
import { readRefreshToken } from './refresh-token.ts';

/**
 * Ends this browser's session, also with an access token that expired within the last hour. The refresh cookie finds
 * it too, since a session that was renewed often no longer keeps older access tokens. Signing out without a session is
 * no error.
 */
export async function logout(ctx: ServiceContext): Promise<Done> {
  const named = [...byBearer(ctx), ...byCookie(ctx)];
  ctx.jar.write('refresh', null);
  if (named.length === 0) return DONE;
  const sessions = await SessionModel.find({ $or: named, revokedAt: null }, { accountId: 1 }).setOptions({
    acrossAccounts: 'sign-in',
  });
  for (const { accountId, _id } of sessions) await endSessions(ctx, { accountId, _id }, 'logout');
  return DONE;
}

function byBearer(ctx: ServiceContext) {
  const { bearer } = ctx.origin;
  if (bearer === undefined || !isAccessToken(bearer)) return [];
  const expiredAfter = new Date(ctx.now().getTime() - LOGOUT_GRACE_MS);
  return [{ access: { $elemMatch: { hash: hashToken(bearer), expiresAt: { $gt: expiredAfter } } } }];
}

/**
 * Finds the session by its cookie. Any generation is accepted: even its oldest token is proof enough to end a session.
 */
function byCookie(ctx: ServiceContext) {
  const cookie = ctx.jar.read('refresh') ?? '';
  const token = cookie === '' ? null : readRefreshToken(ctx.providers.secrets, cookie);
  return token === null ? [] : [{ _id: token.sessionId }];
}
