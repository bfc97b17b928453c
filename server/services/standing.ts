import { ApiTokenModel } from '../models/api-token.ts';
import { SessionModel, stillOpen } from '../models/session.ts';
import type { AccountContext } from '../service-context.ts';

/** What a long-lived connection, or a link for a browser, acts by. */
export type Standing = { collection: 'sessions' | 'api_tokens'; id: string };

/** The document that an actor's right to be connected hangs on; null for what no revocation can end. */
export function standingOf(actor: AccountContext['actor']): Standing | null {
  if (actor.kind === 'account') return { collection: 'sessions', id: actor.sessionId };
  if (actor.kind === 'token') return { collection: 'api_tokens', id: actor.tokenId };
  return null;
}

/** Whether the account's session or API token is still good. */
export async function isGood({ collection, id }: Standing, accountId: string, now: Date): Promise<boolean> {
  const own = { _id: id, accountId };
  if (collection === 'sessions') return (await SessionModel.exists({ ...own, ...stillOpen(now) })) !== null;
  const token = await ApiTokenModel.findOne(own, { expiresAt: 1 }).lean();
  return token !== null && (!token.expiresAt || token.expiresAt > now);
}

/**
 * Whether the session or API token that opened a connection is still good: a call is checked when it comes in, a
 * connection lives on and has to be asked again (security facts, 8.4).
 */
export async function isInForce(ctx: AccountContext): Promise<boolean> {
  const standing = standingOf(ctx.actor);
  return standing === null || isGood(standing, ctx.actor.accountId, ctx.now());
}
