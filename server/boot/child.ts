import { url as debuggerUrl } from 'node:inspector';
import type { Log } from '../lib/log.ts';
import { createRateCounters } from '../lib/rate-counters.ts';
import { EXIT_FAILED, StartError, sentenceOf } from '../lib/start-error.ts';
import { bootstrap } from './bootstrap.ts';
import type { Env } from './env/env.ts';
import { startServing } from './serving.ts';
import { createShutdownStack } from './shutdown-stack.ts';
import type { FromChild, ToChild } from './supervisor.ts';
import { ALIVE_EVERY_MS } from './watchdog.ts';

export type ChildOptions = { env: Env; log: Log; webRoot: string };

/**
 * Runs the app as a child of its supervisor (supervisor.ts), which says when it starts and stops. When the supervisor is
 * gone, Node ends the child at once (node:cluster, 'disconnect'), as in a crash of both.
 */
export function runChild({ env, log, webRoot }: ChildOptions): void {
  const shutdown = createShutdownStack(log);
  let isServing = false;

  async function start(message: Extract<ToChild, { kind: 'start' }>): Promise<void> {
    const { worker, takesOverFrom } = message;
    try {
      const providers = await bootstrap(message, { env, log, rateCounters: createRateCounters() }, shutdown.push);
      await startServing(providers, { env, webRoot, worker, takesOverFrom, isServing: () => isServing }, shutdown.push);
      isServing = !shutdown.isStopping;
      send({ kind: 'ready' });
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

  // Only the supervisor writes to this channel, and it takes `ToChild` alone.
  process.on('message', (received: unknown) => {
    const message = received as ToChild;
    void (message.kind === 'start' ? start(message) : stop());
  });
  setInterval(() => send({ kind: 'alive', isDebugged: debuggerUrl() !== undefined }), ALIVE_EVERY_MS).unref();
  send({ kind: 'connected' });
}

/** Reports why the start failed to the supervisor, which reports it to the operator. */
async function fail(error: unknown): Promise<void> {
  const { message, exitCode } =
    error instanceof StartError ? error : new StartError(EXIT_FAILED, `${sentenceOf(error)}.`, error);
  await new Promise<void>((resolve) => send({ kind: 'failed', sentence: message, exitCode }, resolve));
  process.exit(exitCode);
}

function send(message: FromChild, onSent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, onSent);
  else onSent();
}
