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

/**
 * The delays before a child is started again, one for each attempt; a child that served for a while starts over at the
 * first.
 */
const RESTART_DELAYS_MS = [0, 100, 500, 1_000, 2_000, 5_000];
const SERVED_WELL_MS = 10_000;

export type ProcessGroupOptions = {
  env: Env;
  log: Log;
  entry: string;
};

/** `ended` resolves with a description of the child's end. */
type Running = { child: Child; ended: Promise<string> };

type Group = {
  options: ProcessGroupOptions;
  bootstrapped: Pick<Bootstrapped, 'uri' | 'run' | 'killedRuns'>;
  rateCounters: RateCounters;
  tickets: TicketKeys;
  /** Once this is aborted, no child is started again. */
  stopping: AbortController;
  children: Map<number, Running>;
  /** True once all children have been ready at the same time: from then on each opens by itself. */
  isWhole: boolean;
};

/**
 * Runs the application in several processes behind one port (PROCESSES). This process keeps everything that exists
 * once: the lock on the data folder, the embedded database, the shared counters, and the ports, from which the
 * children accept connections by themselves. The children do the work: each has an HTTP server, the host and a job
 * worker (child.ts). A child that ends is started again and takes over the work of its predecessor.
 *
 * Children obey this process alone, since a signal of a terminal reaches all of them; they end when this process does.
 */
export function createProcessGroup(options: ProcessGroupOptions): LifeCycle {
  const { env, log, entry } = options;
  const shutdown = createShutdownStack(log);

  async function start(): Promise<void> {
    const rateCounters = createRateCounters();
    const { uri, run, killedRuns, forgetKilledRuns } = await bootstrap({ env, log, rateCounters }, shutdown.push);
    // The children have connections of their own, and this process needs the database no longer.
    await mongoose.disconnect();
    // If connections were handed out in turn, a child that ends before it takes one would lose it, and its client would
    // not even get a refusal. Connections that wait at a shared port are accepted by another child.
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
 * Starts the child of this number, and starts it again when it ends later; the first child writes down what the host
 * serves. Resolves once the child serves; throws StartError when it cannot.
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

/**
 * Kills a frozen child: it accepts no connection and no signal but this one. Its end is then handled like any other.
 */
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

/**
 * Builds the start message. A child takes the worker name of its predecessor, so that the predecessor's work is its
 * own.
 */
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
    // The system could not start a process: such a child never emits `exit`.
    child.on('error', (error) => child.process.pid === undefined && resolve(String(error)));
  });
}

type ChildListeners = { onConnected(): void; onCounterRequests(requests: readonly CounterRequest[]): void };

/** Listens to a child until it ends; resolves once the child is ready. */
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

/**
 * Tries until the child runs or everything is to stop. It is a loop, because chained promises would take ever more
 * memory.
 */
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

/** Asks all children to stop and waits for them; each limits its own time. */
async function stopChildren({ children, stopping }: Group): Promise<void> {
  stopping.abort();
  const running = [...children.values()];
  for (const { child } of running) tell(child, { kind: 'stop' });
  await Promise.all(running.map(({ ended }) => ended));
}

/** Sends a message; errors are ignored, because a child that has ended meanwhile emits `exit` anyway. */
function tell(child: Child, message: ToChild): void {
  if (child.isConnected()) child.send(message, () => undefined);
}

/** Only our own program writes to this channel, and it only sends `FromChild` (child.ts). */
function fromChild(message: unknown): FromChild {
  return message as FromChild;
}
