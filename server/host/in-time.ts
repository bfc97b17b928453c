import { AppError } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';

/** Within this time a visitor gets an answer, also when the database hangs. */
const TIMEOUT_MS = 3_000;

/** Gives what is asked of the database the time that a visitor waits. Throws `database_unavailable`. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await withTimeout(work, TIMEOUT_MS, () => Promise.reject(databaseUnavailable()));
  } catch (error) {
    throw error instanceof AppError ? error : databaseUnavailable(error);
  }
}

/** The host cannot say what there is at an address: a visitor comes again. */
export function databaseUnavailable(cause?: unknown): AppError {
  return new AppError('database_unavailable', 'The database cannot be reached.', { retryAfterMs: 2_000, cause });
}
