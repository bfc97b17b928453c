import { url as debuggerUrl } from 'node:inspector';
import type { Log } from '../../lib/log.ts';
import { createRateCounters } from '../../lib/rate-counters.ts';
import { EXIT_FAILED, StartError, sentenceOf } from '../../lib/start-error.ts';
import { bootstrapChild } from '../bootstrap.ts';
import type { Env } from '../env/env.ts';
import { startServing } from '../serving.ts';
import { createShutdownStack } from '../shutdown-stack.ts';
import { ALIVE_EVERY_MS } from './frozen-child.ts';
import type { FromChild, ToChild } from './messages.ts';
import { createRemoteRateCounters } from './remote-rate-counters.ts';

export type GroupChildOptions = { env: Env; log: Log; webRoot: string };

/**
 * Runs one of several processes of the app, started by the first one (group.ts), which also says when to begin, open
 * and stop. When that one is gone Node ends this process at once (node:cluster, 'disconnect'), as in a crash of the
 * whole app.
 */
export function runGroupChild({ env, log, webRoot }: GroupChildOptions): void {
  const shutdown = createShutdownStack(log);
  // With one child there is nothing to share: asking the first process would only cost time.
  const local = env.processes > 1 ? undefined : createRateCounters();
  const remote = createRemoteRateCounters((requests) => tell({ kind: 'countersRequest', requests }));
  let isServing = false;

  async function start(told: Extract<ToChild, { kind: 'start' }>): Promise<void> {
    const { worker, takesOverFrom, keepsSnapshot, ticketRoot } = told;
    isServing = told.isServing;
    try {
      const providers = await bootstrapChild(told, { env, log, rateCounters: local ?? remote.counters }, shutdown.push);
      const serving = { env, webRoot, worker, takesOverFrom, isServing: () => isServing, keepsSnapshot, ticketRoot };
      await startServing(providers, serving, shutdown.push);
      tell({ kind: 'ready' });
    } catch (error) {
      if (shutdown.isStopping) return;
      await shutdown.stopAll();
      await fail(error);
    }
  }

  async function stop(): Promise<void> {
    isServing = false;
    await shutdown.stopAll();
    process.exit(0);
  }

  process.on('message', (said: unknown) => {
    const message = toChild(said);
    if (message.kind === 'start') void start(message);
    else if (message.kind === 'instanceReady') isServing = !shutdown.isStopping;
    else if (message.kind === 'countersReply') remote.receive(message.replies);
    else void stop();
  });
  // A terminal sends signals to the first process as well, and that one says when to stop.
  process.on('SIGTERM', () => undefined);
  process.on('SIGINT', () => undefined);
  setInterval(() => tell({ kind: 'alive', isDebugged: debuggerUrl() !== undefined }), ALIVE_EVERY_MS).unref();
  tell({ kind: 'connected' });
}

/** Reports the failure to the first process, which tells the operator once, however many children fail alike. */
async function fail(error: unknown): Promise<void> {
  const { message, exitCode } =
    error instanceof StartError ? error : new StartError(EXIT_FAILED, `${sentenceOf(error)}.`, error);
  await new Promise<void>((resolve) => tell({ kind: 'failed', sentence: message, exitCode }, resolve));
  process.exit(exitCode);
}

function tell(message: FromChild, onSent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, onSent);
  else onSent();
}

/** Only the first process writes to this channel, and it only sends `ToChild` (group.ts). */
function toChild(message: unknown): ToChild {
  return message as ToChild;
}
