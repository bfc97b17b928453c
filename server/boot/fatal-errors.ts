import { errnoOf } from '../lib/durable-file.ts';
import type { Log } from '../lib/log.ts';
import { EXIT_FAILED } from '../lib/start-error.ts';

/** These mean that the peer of one connection is gone and nobody listened to its socket: nothing else is affected. */
const CONNECTION_ERRORS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

/** The kinds of uncaught errors; each is counted by itself. */
type Kind = 'rejection' | 'connection' | 'exception';

/**
 * Logs every error that nobody caught, with its kind and the count of that kind, and decides what it ends. A rejected
 * promise has unwound its own work alone, and so has a connection whose peer is gone: the process goes on. Any other
 * exception has left the event loop in the middle of something, so the process exits with 1 and its supervisor starts
 * another one. The counts are only in the log, because strangers may read `/api/ready`.
 */
export function endOnFatalErrors(log: Log, source: NodeJS.EventEmitter = process): void {
  const counts: Record<Kind, number> = { rejection: 0, connection: 0, exception: 0 };
  const report = (kind: Kind, message: string, error: unknown): void => {
    counts[kind] += 1;
    log.error(message, { error: error instanceof Error ? error.stack : String(error), kind, count: counts[kind] });
  };
  source.on('unhandledRejection', (error) => report('rejection', 'A rejected promise was not handled', error));
  source.on('uncaughtException', (error) => {
    if (CONNECTION_ERRORS.has(errnoOf(error) ?? '')) {
      return report('connection', 'An error of a connection was not handled', error);
    }
    report('exception', 'An error that nobody caught ends the process', error);
    process.exit(EXIT_FAILED);
  });
}
