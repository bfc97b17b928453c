import { createHash } from 'node:crypto';

/**
 * Returns the stored form of a token: plain SHA-256, which is right for 256 random bits (ASVS 6.5.2). Never use it for
 * a password.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
