import type { RevokeSessionInput, Session } from '../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import type { Actor, ServiceContext } from '../../context.ts';
import { openSessionFilter, type SessionDoc, SessionModel, toSession } from '../../database/models/session.ts';
import { notFound } from '../../lib/errors.ts';
import { endSessions } from './end-sessions.ts';

/** A browser that is signed in: an API token never reaches sessions and passwords. */
export type SessionContext = ServiceContext & { actor: Extract<Actor, { kind: 'account' }> };

/** The browsers that are signed in, the one used last first. */
export async function listSessions(ctx: SessionContext): Promise<{ items: Session[] }> {
  const { accountId, sessionId } = ctx.actor;
  const docs = await findSessions(accountId, ctx.now());
  return { items: docs.map((doc) => toSession(doc, sessionId)) };
}

/** The account's sessions that are not over, the one used last first. */
export async function findSessions(accountId: string, now: Date): Promise<SessionDoc[]> {
  const docs = await SessionModel.find({ accountId, ...openSessionFilter(now) });
  // At most twenty, sorted here rather than by one more index.
  return docs.sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime());
}

/** Signs one browser out at once; one's own as well. Throws `not_found`. */
export async function revokeSession(ctx: SessionContext, input: RevokeSessionInput): Promise<Done> {
  const ended = await endSessions(ctx, { accountId: ctx.actor.accountId, _id: input.sessionId }, 'revoked');
  if (ended === 0) throw notFound('session');
  return DONE;
}
