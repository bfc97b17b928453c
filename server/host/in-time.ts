import { AppError } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';

/** A visitor gets an answer within this time, even when the database hangs. */
const TIMEOUT_MS = 3_000;

/**
 * Limits a question to the database to the time that a visitor waits. Throws `database_unavailable`. The time is over
 * in two halves: a busy start may hold the event loop for all of it, and then timers come before any answer is read.
 */
export async function inTime<T>(work: Promise<T>, ms = TIMEOUT_MS): Promise<T> {
  const onTimeout = () => Promise.reject(databaseUnavailable());
  try {
    return await withTimeout(work, ms / 2, () => withTimeout(work, ms / 2, onTimeout));
  } catch (error) {
    throw error instanceof AppError ? error : databaseUnavailable(error);
  }
}

/** The host cannot tell whether there is a site at an address, so a visitor should come again. */
export function databaseUnavailable(cause?: unknown): AppError {
  return new AppError('database_unavailable', 'The database cannot be reached.', { retryAfterMs: 2_000, cause });
}
