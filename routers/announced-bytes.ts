import type { IncomingMessage } from 'node:http';
import { JSON_BODY_MAX_BYTES } from './schemas/limits.ts';

/**
 * Returns the announced length of a call's body, up to the limit: a longer one is refused before it is read. A
 * compressed or chunked body counts as the longest.
 */
export function announcedBytes({ headers }: Pick<IncomingMessage, 'headers'>): number {
  const isUnknown = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
  const announced = isUnknown ? JSON_BODY_MAX_BYTES : Number(headers['content-length'] ?? 0);
  return Math.min(announced, JSON_BODY_MAX_BYTES);
}
