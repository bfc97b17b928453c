import type { Access } from '../../../routers/schemas/auth.ts';
import type { Actor, Providers } from '../../context.ts';
import { openSessionFilter, SessionModel, type SessionRow } from '../../database/models/account/session.ts';
import { endWhenAway, translateDatabaseError } from '../../database/mongo.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';
import { isAccessToken, newAccess, pushAccess } from './access-token.ts';
import { IDLE_MS } from './open-session.ts';
import { findApiToken, isApiToken } from './tokens.ts';

/** A new token is issued in the last three minutes of the old one, at most once a minute for a session. */
const FRESH_BEFORE_END_MS = 3 * 60_000;
const FRESH_INTERVAL_MS = 60_000;

const ANONYMOUS: Authenticated = { actor: { kind: 'anonymous' } };

export type Authenticated = { actor: Actor; freshAccess?: Access };

/**
 * Returns the actor of a bearer token: an access token of a session, or an API token. An unknown, expired or revoked
 * one is anonymous: procedures that need somebody refuse with `unauthenticated`. Throws `database_unavailable`, and
 * never a wrong "anonymous".
 */
export async function authenticate(providers: Providers, bearer: string | undefined): Promise<Authenticated> {
  if (bearer === undefined) return ANONYMOUS;
  try {
    if (isAccessToken(bearer)) return await endWhenAway(() => bySession(providers, bearer));
    if (isApiToken(bearer)) return await endWhenAway(() => byApiToken(providers, bearer));
    return ANONYMOUS;
  } catch (error) {
    throw translateDatabaseError(error) ?? error;
  }
}

async function bySession(providers: Providers, accessToken: string): Promise<Authenticated> {
  const now = providers.now();
  const hash = hashToken(accessToken);
  const session = await SessionModel.findOne(
    { access: { $elemMatch: { hash, expiresAt: { $gt: now } } }, ...openSessionFilter(now) },
    { accountId: 1, lastIssuedAt: 1, access: { $elemMatch: { hash } } },
  )
    .setOptions({ acrossAccounts: 'sign-in' })
    .lean();
  if (session === null) return ANONYMOUS;
  const { _id: sessionId, accountId } = session;
  const freshAccess = await freshAccessFor(providers, session, hash, now);
  const actor: Actor = { kind: 'account', accountId, sessionId };
  return freshAccess === undefined ? { actor } : { actor, freshAccess };
}

async function byApiToken(providers: Providers, bearer: string): Promise<Authenticated> {
  const token = await findApiToken(bearer, providers.now());
  if (token === null) return ANONYMOUS;
  const { _id: tokenId, accountId, name: tokenName, scopes } = token;
  return { actor: { kind: 'token', accountId, tokenId, tokenName, scopes: [...scopes] } };
}

/**
 * Makes a fresh token on the condition that the last one's time is unchanged, so that of many calls at once one gets
 * it.
 */
async function freshAccessFor(
  providers: Providers,
  session: Pick<SessionRow, '_id' | 'accountId' | 'access' | 'lastIssuedAt'>,
  hash: string,
  now: Date,
): Promise<Access | undefined> {
  const endsAt = session.access.find((stored) => stored.hash === hash)?.expiresAt ?? now;
  if (endsAt.getTime() - now.getTime() >= FRESH_BEFORE_END_MS) return undefined;
  const issuedBefore = new Date(now.getTime() - FRESH_INTERVAL_MS);
  if (session.lastIssuedAt > issuedBefore) return undefined;
  const { access, stored } = newAccess(providers, now);
  const issued = await SessionModel.updateOne(
    { _id: session._id, accountId: session.accountId, revokedAt: null, lastIssuedAt: { $lte: issuedBefore } },
    {
      $set: { lastIssuedAt: now, lastUsedAt: now, idleEndsAt: new Date(now.getTime() + IDLE_MS) },
      $push: pushAccess(stored),
    },
  );
  return issued.modifiedCount === 1 ? access : undefined;
}
