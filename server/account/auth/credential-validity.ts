import type { AccountContext } from '../../context.ts';
import { ApiTokenModel } from '../../database/models/account/api-token.ts';
import { openSessionFilter, SessionModel } from '../../database/models/account/session.ts';

/** The document from which a long-lived connection, or a link for a browser, has its right. */
export type Credential = { collection: 'sessions' | 'api_tokens'; id: string };

/** Returns the session or API token of an actor; null for a job, whose right nobody can revoke. */
export function credentialOf(actor: AccountContext['actor']): Credential | null {
  if (actor.kind === 'account') return { collection: 'sessions', id: actor.sessionId };
  if (actor.kind === 'token') return { collection: 'api_tokens', id: actor.tokenId };
  return null;
}

/** Returns whether the account's session or API token has neither been revoked nor expired. */
export async function isCredentialValid(
  { collection, id }: Credential,
  accountId: string,
  now: Date,
): Promise<boolean> {
  const own = { _id: id, accountId };
  if (collection === 'sessions') return (await SessionModel.exists({ ...own, ...openSessionFilter(now) })) !== null;
  const token = await ApiTokenModel.findOne(own, { expiresAt: 1 }).lean();
  return token !== null && (!token.expiresAt || token.expiresAt > now);
}

/**
 * Returns whether the session or API token that opened a connection is still valid. A call is checked when it arrives;
 * a connection lives on, so its sender checks again.
 */
export async function isStillValid(ctx: AccountContext): Promise<boolean> {
  const credential = credentialOf(ctx.actor);
  return credential === null || isCredentialValid(credential, ctx.actor.accountId, ctx.now());
}
