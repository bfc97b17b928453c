import { createHash } from 'node:crypto';

/**
 * Returns what is stored of a token: plain SHA-256, which is right for 256 random bits (ASVS 6.5.2). Never of a
 * password.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
