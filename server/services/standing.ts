import { ApiTokenModel } from '../models/api-token.ts';
import { SessionModel } from '../models/session.ts';
import type { AccountContext } from '../service-context.ts';

/** What a long-lived connection acts by. */
export type Standing = { collection: 'sessions' | 'api_tokens'; id: string };

/** The document that an actor's right to be connected hangs on; null for what no revocation can end. */
export function standingOf(actor: AccountContext['actor']): Standing | null {
  if (actor.kind === 'account') return { collection: 'sessions', id: actor.sessionId };
  if (actor.kind === 'token') return { collection: 'api_tokens', id: actor.tokenId };
  return null;
}

/**
 * Whether the session or API token that opened a connection is still good, and may still read: a call is checked when
 * it comes in, a connection lives on and has to be asked again (security facts, 8.4).
 */
export async function isInForce(ctx: AccountContext): Promise<boolean> {
  const { actor } = ctx;
  const now = ctx.now();
  if (actor.kind === 'account') {
    const session = await SessionModel.findOne(
      { _id: actor.sessionId, accountId: actor.accountId },
      { revokedAt: 1, idleEndsAt: 1, endsAt: 1 },
    ).lean();
    return session !== null && !session.revokedAt && session.idleEndsAt > now && session.endsAt > now;
  }
  if (actor.kind === 'token') {
    const token = await ApiTokenModel.findOne(
      { _id: actor.tokenId, accountId: actor.accountId },
      { expiresAt: 1 },
    ).lean();
    return token !== null && (!token.expiresAt || token.expiresAt > now);
  }
  return true;
}
