import type { IncomingMessage } from 'node:http';
import { JSON_BODY_MAX_BYTES } from './schemas/limits.ts';

/**
 * Returns how long the body of a call is to be. What is packed, or comes in pieces, may be as long as any. One that says it
 * is longer is refused before it is read.
 */
export function announcedBytes({ headers }: Pick<IncomingMessage, 'headers'>): number {
  const isUnknown = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
  const announced = isUnknown ? JSON_BODY_MAX_BYTES : Number(headers['content-length'] ?? 0);
  return Math.min(announced, JSON_BODY_MAX_BYTES);
}
