import { randomInt } from 'node:crypto';
import type { ErrorCode } from '../../routers/schemas/errors.ts';
import { isDatabaseAway } from '../database/mongo.ts';
import { AppError } from '../lib/errors.ts';

/** The tries of a job that asks for no other number. */
export const MAX_ATTEMPTS = 5;

/** An interruption of seconds is over at the next try, and the growing delay does not hammer during one of hours. */
const BACKOFF_FIRST_MS = 5_000;
const BACKOFF_FACTOR = 3;
const BACKOFF_MAX_MS = 60 * 60_000;
const BACKOFF_SPREAD = 0.2;

/** Another try may succeed after these errors; every other AppError is final. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'database_unavailable',
  'overloaded',
  'rate_limited',
  'storage_full',
  'internal',
  'platform_down',
  'payments_unavailable',
  'out_of_sync',
]);

/** Returns whether another try is pointless. An unknown error is a defect or an accident, and is tried again. */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof AppError) || isDatabaseAway(error)) return false;
  return !RETRYABLE.has(error.code) && error.retryAfterMs === undefined;
}

/** Returns the wait that the other side asked for, or else a delay that grows with the attempts. */
export function retryDelayMs(error: unknown, attempt: number): number {
  if (error instanceof AppError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return backoffMs(attempt);
}

/** Returns the wait after this attempt, with a random spread so that many failures do not come back at once. */
export function backoffMs(attempt: number): number {
  const plain = Math.min(BACKOFF_FIRST_MS * BACKOFF_FACTOR ** (attempt - 1), BACKOFF_MAX_MS);
  const spread = plain * BACKOFF_SPREAD;
  return Math.round(plain - spread + randomInt(0, Math.round(2 * spread) + 1));
}

/** Formats an error for the log and the job's row. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
