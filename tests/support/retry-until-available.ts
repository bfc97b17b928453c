import { setTimeout as wait } from 'node:timers/promises';
import { toAppError } from '../../routers/error-shape.ts';

/**
 * Repeats a call for as long as it answers 503, as a client does that is told to come back: with many transactions at
 * once on a busy machine some run out of time. The call carries an idempotency key, or may be made twice.
 */
export async function retryUntilAvailable<T>(call: () => Promise<T>): Promise<T> {
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
