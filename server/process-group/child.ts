import type { Env } from '../env.ts';
import type { Log } from '../log.ts';
import { openDoors } from '../start/doors.ts';
import { joinFoundation } from '../start/foundation.ts';
import { EXIT_FAILED, StartError, sentenceOf } from '../start/start-error.ts';
import { createUndo } from '../start/undo.ts';
import type { FromChild, ToChild } from './messages.ts';
import { createRemoteTally } from './tally-by-message.ts';

export type GroupChildOptions = { env: Env; log: Log; webRoot: string };

/**
 * One of several processes of the app, as the first one (group.ts) has started it. It begins, opens and stops when
 * that one says so. When that one is gone Node ends it at once (node:cluster, 'disconnect'), like a crash of the whole.
 */
export function runGroupChild({ env, log, webRoot }: GroupChildOptions): void {
  const undo = createUndo(log);
  const remote = createRemoteTally((asks) => tell({ kind: 'asks', asks }));
  let isOpen = false;

  async function begin(told: Extract<ToChild, { kind: 'begin' }>): Promise<void> {
    const { uri, worker, heirOf, keepsSnapshot } = told;
    isOpen = told.isOpen;
    try {
      const providers = await joinFoundation(uri, { env, log, tally: remote.tally }, undo.began);
      const doors = { env, webRoot, worker, heirOf, isOpen: () => isOpen, keepsSnapshot };
      await openDoors(providers, doors, undo.began);
      tell({ kind: 'ready' });
    } catch (error) {
      if (undo.isStopping) return;
      await undo.stopAll();
      await fail(error);
    }
  }

  async function stop(): Promise<void> {
    isOpen = false;
    await undo.stopAll();
    process.exit(0);
  }

  process.on('message', (said: unknown) => {
    const message = toChild(said);
    if (message.kind === 'begin') void begin(message);
    else if (message.kind === 'open') isOpen = !undo.isStopping;
    else if (message.kind === 'answers') remote.receive(message.answers);
    else void stop();
  });
  // Of a terminal they reach the first process as well, which says when to stop.
  process.on('SIGTERM', () => undefined);
  process.on('SIGINT', () => undefined);
  tell({ kind: 'hears' });
}

/** The first process tells the operator, once however many fail alike. */
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

/** Only the first process writes to this channel, and it takes `ToChild` alone (group.ts). */
function toChild(message: unknown): ToChild {
  return message as ToChild;
}
