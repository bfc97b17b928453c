import { randomBytes } from 'node:crypto';
import type { Access } from '../../../routers/schemas/auth.ts';
import type { Providers } from '../../context.ts';
import { hashToken } from '../token-hash.ts';

/** A token is opaque: 256 random bits, of which the session document holds the hash. */
const PREFIX = 'fla_';
const SECRET_BYTES = 32;
const FORM = /^fla_[A-Za-z0-9_-]{43}$/;
/**
 * All unexpired ones are kept, at most these many: parallel uploads near the end of a token must not push each other
 * out.
 */
const KEPT = 50;
/** The hash of an expired token still finds its session for logout. */
export const LOGOUT_GRACE_MS = 60 * 60_000;

export type StoredAccess = { hash: string; expiresAt: Date };
export type NewAccess = { access: Access; stored: StoredAccess };

/** Judges a token by its form alone: one that nobody made is refused without asking the database. */
export function isAccessToken(bearer: string): boolean {
  return FORM.test(bearer);
}

/**
 * Returns a fresh token: `access` for the browser, `stored` for its session. It lives `accessTokenSeconds` from `now`.
 */
export function newAccess(providers: Providers, now: Date): NewAccess {
  const accessToken = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const expiresAt = new Date(now.getTime() + providers.limits.accessTokenSeconds * 1_000);
  return { access: { accessToken, expiresAt }, stored: { hash: hashToken(accessToken), expiresAt } };
}

/** Returns the update that adds a token to a session's; newest last, so that the oldest go first. */
export function pushAccess(stored: StoredAccess): { access: { $each: StoredAccess[]; $slice: number } } {
  return { access: { $each: [stored], $slice: -KEPT } };
}

/** Returns the same as a value, for an update by a pipeline. */
export function withAccess(stored: StoredAccess) {
  return { $slice: [{ $concatArrays: ['$access', [{ $literal: stored }]] }, -KEPT] };
}
