import { setTimeout as wait } from 'node:timers/promises';
import { toAppError } from '../../routers/error-shape.ts';

/**
 * Calls again while the answer is 503, as a client does that is told to come back: many transactions at once on a busy
 * machine are not always through in time. The call carries an idempotency key, or may be made twice.
 */
export async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { status, retryAfterMs } = toAppError(error);
      if (status !== 503) throw error;
      await wait(retryAfterMs ?? 1_000);
    }
  }
}
