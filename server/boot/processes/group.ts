import cluster, { type Worker as Child } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { createTicketKeys, type TicketKeys } from '../../http/transport/ticket-keys.ts';
import type { Log } from '../../lib/log.ts';
import { createRateCounters, type RateCounters } from '../../lib/rate-counters.ts';
import { EXIT_FAILED, StartError } from '../../lib/start-error.ts';
import { type Bootstrapped, bootstrap } from '../bootstrap.ts';
import type { Env } from '../env/env.ts';
import type { LifeCycle } from '../life-cycle.ts';
import { createShutdownStack } from '../shutdown-stack.ts';
import { watchForFreeze } from './frozen-child.ts';
import { CHILD_ARGUMENT, type FromChild, type ToChild } from './messages.ts';
import { type CounterRequest, createRateCounterServer } from './remote-rate-counters.ts';

/** Between the end of a child and its next start; one that has served for a while begins at the first again. */
const RESTART_DELAYS_MS = [0, 100, 500, 1_000, 2_000, 5_000];
const SERVED_WELL_MS = 10_000;

export type ProcessGroupOptions = {
  env: Env;
  log: Log;
  entry: string;
};

/** `ended` resolves with how. */
type Running = { child: Child; ended: Promise<string> };

type Group = {
  options: ProcessGroupOptions;
  bootstrapped: Pick<Bootstrapped, 'uri' | 'run' | 'killedRuns'>;
  rateCounters: RateCounters;
  tickets: TicketKeys;
  /** No child is started again once this is aborted. */
  stopping: AbortController;
  children: Map<number, Running>;
  /** Whether all children have been ready at once: from then on each opens by itself. */
  isWhole: boolean;
};

/**
 * The application in several processes behind one port (PROCESSES). This one keeps what there is one of: the lock on the
 * data folder, the embedded database, the counters of all, and the ports, at which its children take connections by
 * themselves. They do the work: HTTP server, host and job worker in each (child.ts). A child that ends is started again, and
 * takes over what the one before it worked on.
 *
 * A child obeys this process alone, since a signal of a terminal reaches all of them; it ends when this process does.
 */
export function createProcessGroup(options: ProcessGroupOptions): LifeCycle {
  const { env, log, entry } = options;
  const shutdown = createShutdownStack(log);

  async function start(): Promise<void> {
    const rateCounters = createRateCounters();
    const { uri, run, killedRuns, forgetKilledRuns } = await bootstrap({ env, log, rateCounters }, shutdown.push);
    // The children have connections of their own, and this process has nothing more to ask.
    await mongoose.disconnect();
    // Connections that are handed out in turn are lost with a child that ends before it has taken them: their clients
    // hear nothing, not even a refusal. Those that wait at a port of all are taken by another child.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: entry, args: [CHILD_ARGUMENT] });
    const stopping = new AbortController();
    const bootstrapped = { uri, run, killedRuns };
    const tickets = createTicketKeys(new Date());
    const shared = { options, bootstrapped, rateCounters, tickets, stopping };
    const group: Group = { ...shared, children: new Map(), isWhole: false };
    shutdown.push('processes', () => stopChildren(group));
    if (shutdown.isStopping) return;
    await Promise.all(Array.from({ length: env.processes }, (_, number) => startChild(group, number)));
    group.isWhole = true;
    forgetKilledRuns();
    for (const { child } of group.children.values()) tell(child, { kind: 'instanceReady' });
  }

  return {
    async start() {
      try {
        await start();
      } catch (error) {
        await shutdown.stopAll();
        throw error;
      }
    },
    stop: () => shutdown.stopAll(),
  };
}

/**
 * Starts the child of this number, and starts it again when it ends later; the first writes down what the host serves.
 * Resolves when it serves; throws StartError when it does not come to that.
 */
async function startChild(group: Group, number: number, attempt = 0): Promise<void> {
  const { log } = group.options;
  const child = cluster.fork();
  const counterServer = createRateCounterServer(group.rateCounters, (replies) =>
    tell(child, { kind: 'countersReply', replies }),
  );
  const ended = endOf(child).finally(() => {
    counterServer.close();
    group.children.delete(number);
  });
  group.children.set(number, { child, ended });
  const onConnected = (): void => {
    tell(child, group.stopping.signal.aborted ? { kind: 'stop' } : startMessageOf(group, number));
  };
  await untilReady(child, ended, { onConnected, onCounterRequests: counterServer.receive });
  const readyAt = performance.now();
  log.info('Process is running', { process: number + 1, pid: child.process.pid });
  endWhenFrozen({ child, ended }, log, number);
  if (group.isWhole) tell(child, { kind: 'instanceReady' });
  void ended.then((how) => {
    if (group.stopping.signal.aborted) return;
    log.error('Process ended by itself; starting it again', { process: number + 1, error: how });
    const servedWell = performance.now() - readyAt > SERVED_WELL_MS;
    return startAgain(group, number, servedWell ? 0 : attempt);
  });
}

/** A frozen child takes no connection and no signal but this one; its end is that of any other. */
function endWhenFrozen({ child, ended }: Running, log: Log, number: number): void {
  if (child.process.pid === undefined) return;
  const watch = watchForFreeze(child.process.pid, () => {
    log.error('Process does not go on; it is ended', { process: number + 1 });
    child.process.kill('SIGKILL');
  });
  child.on('message', (said: unknown) => {
    const message = fromChild(said);
    if (message.kind === 'alive') watch.heard(message.isDebugged);
  });
  void ended.then(watch.stop);
}

/** A child bears the name of the one whose place it takes: what that one worked on is its own. */
function startMessageOf(
  { bootstrapped: { uri, run, killedRuns }, tickets, isWhole: isServing }: Group,
  number: number,
): ToChild {
  const isFirst = number === 0;
  const worker = `${run}.${number}`;
  const takesOverFrom = isFirst ? [worker, ...killedRuns] : [worker];
  const ticketRoot = tickets.rootAt(new Date());
  return { kind: 'start', uri, worker, takesOverFrom, keepsSnapshot: isFirst, isServing, ticketRoot };
}

function endOf(child: Child): Promise<string> {
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    // The system had no process to give: such a child never exits.
    child.on('error', (error) => child.process.pid === undefined && resolve(String(error)));
  });
}

type ChildListeners = { onConnected(): void; onCounterRequests(requests: readonly CounterRequest[]): void };

/** Hears a child until it ends; resolves once it is ready. */
function untilReady(
  child: Child,
  ended: Promise<string>,
  { onConnected, onCounterRequests }: ChildListeners,
): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (said: unknown) => {
      const message = fromChild(said);
      if (message.kind === 'countersRequest') onCounterRequests(message.requests);
      else if (message.kind === 'connected') onConnected();
      else if (message.kind === 'ready') resolve();
      else if (message.kind === 'failed') reject(new StartError(message.exitCode, message.sentence));
    });
    void ended.then((how) =>
      reject(new StartError(EXIT_FAILED, `A process of the app ended before it was ready (${how}); look at the log.`)),
    );
  });
}

/** Tries until the child runs or all are to stop. A loop: promises that wait for one another would take ever more memory. */
async function startAgain(group: Group, number: number, firstAttempt: number): Promise<void> {
  const { signal } = group.stopping;
  for (let attempt = firstAttempt; ; attempt += 1) {
    await wait(restartDelayMs(attempt), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      return await startChild(group, number, attempt + 1);
    } catch (error) {
      if (signal.aborted) return;
      group.options.log.error('Process could not be started again', {
        process: number + 1,
        error: String(error),
        nextTryInMs: restartDelayMs(attempt + 1),
      });
    }
  }
}

function restartDelayMs(attempt: number): number {
  return RESTART_DELAYS_MS[Math.min(attempt, RESTART_DELAYS_MS.length - 1)] ?? 0;
}

/** Asks all to stop, and waits for them: how long each may take is its own affair. */
async function stopChildren({ children, stopping }: Group): Promise<void> {
  stopping.abort();
  const running = [...children.values()];
  for (const { child } of running) tell(child, { kind: 'stop' });
  await Promise.all(running.map(({ ended }) => ended));
}

/** One that has ended meanwhile hears nothing any more, and `exit` says so. */
function tell(child: Child, message: ToChild): void {
  if (child.isConnected()) child.send(message, () => undefined);
}

/** Only our own program writes to this channel, and it takes `FromChild` alone (child.ts). */
function fromChild(message: unknown): FromChild {
  return message as FromChild;
}
