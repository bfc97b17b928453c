import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../lib/crypto/secrets.ts';

/**
 * The refresh token is derived and never stored: `sessionId.generation.mac`. The MAC names the key that made it, so
 * that it can be verified without the database, also after the keys were rotated.
 */
export type RefreshToken = { sessionId: string; generation: number };

const FORM = /^([0-9a-z]{20})\.(\d{1,9})\.([0-9a-z]{1,32})-([A-Za-z0-9_-]{43})$/;

/** Makes the token. The same input gives the same text again, so nothing of it is stored. */
export function makeRefreshToken(secrets: Secrets, token: RefreshToken, keyId: string): string {
  const text = `${token.sessionId}.${token.generation}`;
  return `${text}.${keyId}-${secrets.mac('refresh', text, keyId)}`;
}

/** Reads a token; returns null when we did not make it. The comparison takes constant time. */
export function readRefreshToken(secrets: Secrets, value: string): RefreshToken | null {
  const [, sessionId = '', digits = '', keyId = '', mac = ''] = FORM.exec(value) ?? [];
  if (mac === '') return null;
  const expected = secrets.mac('refresh', `${sessionId}.${digits}`, keyId);
  return isSameText(mac, expected) ? { sessionId, generation: Number(digits) } : null;
}

/** Compares in constant time; hashing first makes the lengths equal. */
export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
