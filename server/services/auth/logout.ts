import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { SessionModel } from '../../models/session.ts';
import type { ServiceContext } from '../../service-context.ts';
import { hashToken } from '../token-hash.ts';
import { isAccessToken, LOGOUT_GRACE_MS } from './access-token.ts';
import { endSessions } from './end-sessions.ts';

/**
 * Ends this browser's session, also with an access token that ran out within the last hour. Whoever has no session is
 * signed out already: that is no error (security facts, 1.5).
 */
export async function logout(ctx: ServiceContext): Promise<Done> {
  ctx.jar.write('refresh', null);
  const { bearer } = ctx.origin;
  if (bearer === undefined || !isAccessToken(bearer)) return DONE;
  const expiredAfter = new Date(ctx.now().getTime() - LOGOUT_GRACE_MS);
  const session = await SessionModel.findOne(
    { access: { $elemMatch: { hash: hashToken(bearer), expiresAt: { $gt: expiredAfter } } }, revokedAt: null },
    { accountId: 1 },
  ).setOptions({ acrossAccounts: 'sign-in' });
  if (session !== null) await endSessions(ctx, { accountId: session.accountId, _id: session._id }, 'logout');
  return DONE;
}
