import type { Log } from '../log.ts';
import { EXIT_FAILED } from './start-error.ts';

/** After an error that nobody caught nothing is certain any more: leases run out, and a supervisor starts anew. */
export function endOnSurprises(log: Log): void {
  const onSurprise = (error: unknown): void => {
    const stack = error instanceof Error ? error.stack : undefined;
    log.error('An error that nobody caught ends the process', { error: stack ?? String(error) });
    process.exit(EXIT_FAILED);
  };
  process.on('uncaughtException', onSurprise);
  process.on('unhandledRejection', onSurprise);
}
