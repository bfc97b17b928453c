import { errnoOf } from '../durable-file.ts';
import type { Log } from '../log.ts';
import { EXIT_FAILED } from './start-error.ts';

/** Of a connection whose peer is gone, reported by a socket that nobody listened to: nothing else is affected. */
const CONNECTION_ERRORS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

/**
 * Decides what an error that nobody caught ends; each is logged with its number. A rejected promise has unwound its own work
 * alone, and so has a connection whose peer is gone: the process goes on. Any other exception has left the event loop in the
 * middle of something, so the process ends with 1, and its supervisor starts another one.
 */
export function endOnFatalErrors(log: Log): void {
  let count = 0;
  const report = (message: string, error: unknown): void => {
    count += 1;
    log.error(message, { error: error instanceof Error ? error.stack : String(error), count });
  };
  process.on('unhandledRejection', (error) => report('A rejected promise was not handled', error));
  process.on('uncaughtException', (error) => {
    if (CONNECTION_ERRORS.has(errnoOf(error) ?? '')) return report('An error of a connection was not handled', error);
    report('An error that nobody caught ends the process', error);
    process.exit(EXIT_FAILED);
  });
}
