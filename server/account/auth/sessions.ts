import type { RevokeSessionInput, Session } from '../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import type { Actor, ServiceContext } from '../../context.ts';
import { openSessionFilter, type SessionDoc, SessionModel, toSession } from '../../database/models/account/session.ts';
import { notFound } from '../../lib/errors.ts';
import { endSessions } from './end-sessions.ts';

/** A call of a signed-in browser: an API token never reaches sessions and passwords. */
export type SessionContext = ServiceContext & { actor: Extract<Actor, { kind: 'account' }> };

/** Returns the signed-in browsers, the last used first. */
export async function listSessions(ctx: SessionContext): Promise<{ items: Session[] }> {
  const { accountId, sessionId } = ctx.actor;
  const docs = await findSessions(accountId, ctx.now());
  return { items: docs.map((doc) => toSession(doc, sessionId)) };
}

/** Returns the account's open sessions, the last used first. */
export async function findSessions(accountId: string, now: Date): Promise<SessionDoc[]> {
  const docs = await SessionModel.find({ accountId, ...openSessionFilter(now) });
  // There are at most twenty, so they are sorted here and need no further index.
  return docs.sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime());
}

/** Signs one browser out at once, which may be the caller's own. Throws `not_found`. */
export async function revokeSession(ctx: SessionContext, input: RevokeSessionInput): Promise<Done> {
  const ended = await endSessions(ctx, { accountId: ctx.actor.accountId, _id: input.sessionId }, 'revoked');
  if (ended === 0) throw notFound('session');
  return DONE;
}
