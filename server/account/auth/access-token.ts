import { randomBytes } from 'node:crypto';
import type { Access } from '../../../routers/schemas/auth.ts';
import type { Providers } from '../../context.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';
import { ACCESS_PREFIX } from '../../lib/token-prefix.ts';

/** A token is opaque: 256 random bits, of which the session document holds the hash. */
const SECRET_BYTES = 32;
const FORM = /^fla_[A-Za-z0-9_-]{43}$/;
/**
 * All unexpired ones are kept, up to this number: parallel uploads near the end of a token must not displace each
 * other's.
 */
const KEPT = 50;
/** For this long, the hash of an expired token still finds its session for logout. */
export const LOGOUT_GRACE_MS = 60 * 60_000;

export type StoredAccess = { hash: string; expiresAt: Date };
export type NewAccess = { access: Access; stored: StoredAccess };

/** Checks the form of a token, so that an invented one is refused without asking the database. */
export function isAccessToken(bearer: string): boolean {
  return FORM.test(bearer);
}

/**
 * Makes a fresh token: `access` for the browser, `stored` for its session. It lives `accessTokenSeconds` from `now`.
 */
export function newAccess(providers: Providers, now: Date): NewAccess {
  const accessToken = `${ACCESS_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const expiresAt = new Date(now.getTime() + providers.limits.accessTokenSeconds * 1_000);
  return { access: { accessToken, expiresAt }, stored: { hash: hashToken(accessToken), expiresAt } };
}

/** Returns an update that adds a token to a session; the newest is last, so that the oldest are dropped first. */
export function pushAccess(stored: StoredAccess): { access: { $each: StoredAccess[]; $slice: number } } {
  return { access: { $each: [stored], $slice: -KEPT } };
}

/** Returns the same as a value, for an update by a pipeline. */
export function withAccess(stored: StoredAccess) {
  return { $slice: [{ $concatArrays: ['$access', [{ $literal: stored }]] }, -KEPT] };
}
