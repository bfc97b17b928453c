import type { ErrorCode } from '../../routers/schemas/errors.ts';
import { AppError } from '../errors.ts';
import { isDatabaseAway } from '../mongo.ts';
import { backoffMs } from './queue.ts';

/** Errors that another try may not meet again; every other AppError is final. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'database_unavailable',
  'overloaded',
  'rate_limited',
  'storage_full',
  'internal',
  'platform_down',
  'out_of_sync',
]);

/** Whether trying again is pointless. An unknown error is a defect or an accident: it gets its other attempts. */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof AppError) || isDatabaseAway(error)) return false;
  return !RETRYABLE.has(error.code) && error.retryAfterMs === undefined;
}

/** Returns what the other side asked for, else the table of the queue. */
export function retryDelayMs(error: unknown, attempt: number): number {
  if (error instanceof AppError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return backoffMs(attempt);
}

/** Returns an error for the log and the job's row. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
