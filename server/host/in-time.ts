import { AppError } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';

/** A visitor gets an answer within this time, even when the database hangs. */
const TIMEOUT_MS = 3_000;

/** Limits a question to the database to the time that a visitor waits. Throws `database_unavailable`. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await withTimeout(work, TIMEOUT_MS, () => Promise.reject(databaseUnavailable()));
  } catch (error) {
    throw error instanceof AppError ? error : databaseUnavailable(error);
  }
}

/** The host cannot tell whether there is a site at an address, so a visitor should come again. */
export function databaseUnavailable(cause?: unknown): AppError {
  return new AppError('database_unavailable', 'The database cannot be reached.', { retryAfterMs: 2_000, cause });
}
