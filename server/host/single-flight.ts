import { AppError } from '../errors.ts';
import { withTimeout } from '../with-timeout.ts';

/** Names that nobody has can be asked for without end: this many are looked up at once, the rest come again. */
const LOOKUPS_MAX = 64;
/** Within this time a visitor gets an answer, also when the database hangs (contract: 3 s). */
const TIMEOUT_MS = 3_000;

/** One lookup a key at a time, shared by all who ask. Throws `database_unavailable` or `overloaded`. */
export function createSingleFlight<T>(): { once(key: string, look: () => Promise<T>): Promise<T> } {
  const pending = new Map<string, Promise<T>>();
  return {
    once(key, look) {
      const known = pending.get(key);
      if (known !== undefined) return known;
      if (pending.size >= LOOKUPS_MAX) {
        return Promise.reject(
          new AppError('overloaded', 'Too many unknown names are asked for.', { retryAfterMs: 2_000 }),
        );
      }
      const started = inTime(look()).finally(() => pending.delete(key));
      pending.set(key, started);
      return started;
    },
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await withTimeout(work, TIMEOUT_MS, () => Promise.reject(unavailable(undefined)));
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(error);
  }
}

function unavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', 'The database cannot be reached.', { retryAfterMs: 2_000, cause });
}
