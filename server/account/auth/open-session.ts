import type { ClientSession } from 'mongoose';
import type { Access } from '../../../routers/schemas/auth.ts';
import { SESSION_IDLE_SECONDS } from '../../../routers/schemas/limits.ts';
import type { ServiceContext } from '../../context.ts';
import { openSessionFilter, SessionModel } from '../../database/models/account/session.ts';
import { newId } from '../../database/mongo.ts';
import { DAY_MS } from '../../lib/durations.ts';
import { newAccess } from './access-token.ts';
import { rememberDevice } from './device-cookie.ts';
import { deviceName } from './device-name.ts';
import { endSessions } from './end-sessions.ts';
import { makeRefreshToken } from './refresh-token.ts';

export const IDLE_MS = SESSION_IDLE_SECONDS * 1_000;
/** A session ends after 90 days, however much it is used. */
const ABSOLUTE_MS = 90 * DAY_MS;
/** One more sign-in ends the oldest session. */
const MAX_SESSIONS = 20;
const FIRST_GENERATION = 1;

export type OpenedSession = { access: Access; refreshToken: string };

/** Writes a session for this browser. `saveSession` sets its cookies, once the surrounding transaction is committed. */
export async function openSession(
  ctx: ServiceContext,
  accountId: string,
  session: ClientSession | null = null,
): Promise<OpenedSession> {
  const { providers, origin } = ctx;
  const now = ctx.now();
  const id = newId();
  const keyId = providers.secrets.currentKeyId;
  const { access, stored } = newAccess(providers, now);
  await SessionModel.create(
    [
      {
        _id: id,
        accountId,
        access: [stored],
        lastIssuedAt: now,
        generation: FIRST_GENERATION,
        rotatedAt: now,
        keyId,
        device: deviceName(origin.userAgent),
        address: origin.address,
        lastUsedAt: now,
        idleEndsAt: new Date(now.getTime() + IDLE_MS),
        endsAt: new Date(now.getTime() + ABSOLUTE_MS),
      },
    ],
    { session },
  );
  const refreshToken = makeRefreshToken(providers.secrets, { sessionId: id, generation: FIRST_GENERATION }, keyId);
  return { access, refreshToken };
}

/** Sets the session's cookies, and ends the account's oldest sessions beyond twenty. */
export async function saveSession(ctx: ServiceContext, accountId: string, opened: OpenedSession): Promise<void> {
  ctx.jar.write('refresh', opened.refreshToken);
  rememberDevice(ctx, accountId);
  // This comes after the session is written, so that of two simultaneous sign-ins the later one sees both. Idle
  // sessions are over even if nobody has ended them, so they do not count.
  const live = await SessionModel.find({ accountId, ...openSessionFilter(ctx.now()) }, { _id: 1, createdAt: 1 });
  const beyond = live.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(MAX_SESSIONS);
  if (beyond.length === 0) return;
  await endSessions(ctx, { accountId, _id: { $in: beyond.map((old) => old._id) } }, 'too_many');
}
