import type { Access } from '../../../routers/schemas/auth.ts';
import type { ServiceContext } from '../../context.ts';
import { openSessionFilter, type SessionDoc, SessionModel } from '../../database/models/account/session.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { AppError, signedOut } from '../../lib/errors.ts';
import { mailNotice } from '../mail/queue-mail.ts';
import { newAccess, type StoredAccess, withAccess } from './access-token.ts';
import { deviceName } from './device-name.ts';
import { type EndReason, endSessions } from './end-sessions.ts';
import { IDLE_MS } from './open-session.ts';
import { makeRefreshToken, type RefreshToken, readRefreshToken } from './refresh-token.ts';

/**
 * A token has a derived successor, its predecessor is accepted for another 60 s, and it rotates at most once in 30 s:
 * so neither a lost answer nor two simultaneous tabs end a session wrongly.
 */
const ROTATION_INTERVAL_MS = 30_000;
const GRACE_MS = 60_000;

/**
 * Returns a new access token for the session of the refresh cookie. The cookie is set every time, so that a retry
 * repairs a lost answer. Throws `unauthenticated` without a cookie, and `session_ended` or `account_deleted`, which
 * also clear the cookie, when the session is really over; an error of ours is never a 401.
 */
export async function refresh(ctx: ServiceContext): Promise<Access> {
  const cookie = ctx.jar.read('refresh');
  if (cookie === undefined || cookie === '') throw signedOut();
  const token = readRefreshToken(ctx.providers.secrets, cookie);
  if (token === null) throw sessionEnded(ctx);
  // One moment counts for everything that follows: a call with two could fall between the rules.
  const now = ctx.now();
  const { access, stored } = newAccess(ctx.providers, now);
  const session = await issue(ctx, token, { stored, now });
  if (session === null) {
    await endReused(ctx, token, now);
    throw (await isAccountDeleted(token)) ? accountDeleted(ctx) : sessionEnded(ctx);
  }
  const next = { sessionId: session._id, generation: session.generation };
  ctx.jar.write('refresh', makeRefreshToken(ctx.providers.secrets, next, session.keyId));
  return access;
}

/**
 * Adds the access token to the session of a valid refresh token, and rotates if the token is the current one and the
 * last rotation is long enough ago. It is one statement, so that the session is judged as it is written, even if
 * another call refreshes it.
 */
function issue(
  ctx: ServiceContext,
  token: RefreshToken,
  { stored, now }: { stored: StoredAccess; now: Date },
): Promise<SessionDoc | null> {
  const rotates = {
    $and: [{ $eq: ['$generation', token.generation] }, { $lte: ['$rotatedAt', before(now, ROTATION_INTERVAL_MS)] }],
  };
  const keyId = { $literal: ctx.providers.secrets.currentKeyId };
  return SessionModel.findOneAndUpdate(
    {
      ...liveSession(token, now),
      $or: [
        { generation: token.generation },
        { generation: token.generation + 1, rotatedAt: { $gte: before(now, GRACE_MS) } },
      ],
    },
    [
      {
        $set: {
          lastIssuedAt: now,
          lastUsedAt: now,
          idleEndsAt: new Date(now.getTime() + IDLE_MS),
          access: withAccess(stored),
          generation: { $cond: [rotates, token.generation + 1, '$generation'] },
          rotatedAt: { $cond: [rotates, now, '$rotatedAt'] },
          keyId: { $cond: [rotates, keyId, '$keyId'] },
        },
      },
    ],
    { updatePipeline: true, returnDocument: 'after', acrossAccounts: 'sign-in' },
  );
}

/**
 * Handles a token that was replaced longer ago than its grace: somebody has a copy, so the whole session ends and its
 * owner is notified, once. A session that is over or has no newer token is left as it is.
 */
async function endReused(ctx: ServiceContext, token: RefreshToken, now: Date): Promise<void> {
  const session = await SessionModel.findOne({
    ...liveSession(token, now),
    $or: [
      { generation: { $gt: token.generation + 1 } },
      { generation: token.generation + 1, rotatedAt: { $lt: before(now, GRACE_MS) } },
    ],
  }).setOptions({ acrossAccounts: 'sign-in' });
  if (session === null) return;
  const { accountId } = session;
  const hasEnded = await transaction(async (databaseSession) => {
    const user = await UserModel.findOne({ _id: accountId }).session(databaseSession);
    const ended = await endSessions(ctx, { accountId, _id: session._id }, 'token_reused', databaseSession);
    if (ended === 0 || user === null) return ended > 0;
    await publishEvent(databaseSession, accountId, {
      type: 'notification',
      title: 'We ended a session',
      message: `An old copy of your session on "${session.device}" was used. If that was not you, change your password.`,
      variant: 'destructive',
    });
    await mailNotice(databaseSession, ctx.providers, user, {
      kind: 'session-reused',
      username: user.username,
      device: session.device,
      address: `${ctx.origin.address} (${deviceName(ctx.origin.userAgent)})`,
    });
    return true;
  });
  if (!hasEnded) return;
  ctx.providers.log.warn('A replaced refresh token was used again; its session was ended.', {
    accountId,
    session: session._id.slice(0, 6),
    address: ctx.origin.address,
  });
}

/** Returns whether the session ended with its account, as far as that is not erased yet. */
async function isAccountDeleted({ sessionId }: RefreshToken): Promise<boolean> {
  const reason: EndReason = 'account_deleted';
  const ended = SessionModel.findOne({ _id: sessionId, revokedReason: reason }, { _id: 1 });
  return (await ended.setOptions({ acrossAccounts: 'sign-in' }).lean()) !== null;
}

function liveSession(token: RefreshToken, now: Date) {
  return { _id: token.sessionId, ...openSessionFilter(now) };
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}

function accountDeleted(ctx: ServiceContext): AppError {
  ctx.jar.write('refresh', null);
  return new AppError('account_deleted', 'Your account was deleted.');
}

function sessionEnded(ctx: ServiceContext): AppError {
  ctx.jar.write('refresh', null);
  return new AppError('session_ended', 'Your session has ended. Please log in again.');
}
