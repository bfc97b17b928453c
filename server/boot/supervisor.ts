import cluster, { type Worker as Child } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Log } from '../lib/log.ts';
import { createRateCounters } from '../lib/rate-counters.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';
import { bootstrap } from './bootstrap.ts';
import { CHILD_ARGUMENT, type FromChild, type ToChild } from './child.ts';
import type { Env } from './env/env.ts';
import type { LifeCycle } from './life-cycle.ts';
import { createShutdownStack } from './shutdown-stack.ts';
import { startWatchdog } from './watchdog.ts';

/** Between the end of a child and its next start; one that has served for a while begins at the first again. */
const RESTART_DELAYS_MS = [0, 100, 500, 1_000, 2_000, 5_000];
const SERVED_WELL_MS = 10_000;

/** With this argument, which `npm start` gives, the app runs as a child that this process starts again when it ends. */
export const SUPERVISED_ARGUMENT = '--supervised';

export type SupervisorOptions = {
  env: Env;
  log: Log;
  entry: string;
};

type Supervisor = {
  log: Log;
  start: ToChild;
  /** No child is started again once this is aborted. */
  stopping: AbortController;
  /** `ended` resolves with how. */
  running: { child: Child; ended: Promise<string> } | null;
};

/**
 * Runs the application in a child process, and starts that again when it ends. This process holds the lock on the data
 * folder, the embedded database and the ports, where connections wait until the next child takes them; the child runs
 * the host, the HTTP server and the job worker (child.ts).
 *
 * A signal of a terminal reaches both processes, so the child obeys this one alone; it ends when this process ends.
 */
export function createSupervisor({ env, log, entry }: SupervisorOptions): LifeCycle {
  const shutdown = createShutdownStack(log);

  async function start(): Promise<void> {
    const parts = { env, log, rateCounters: createRateCounters() };
    const { uri, run, killedRuns, forgetKilledRuns } = await bootstrap(parts, shutdown.push);
    // The child has a connection of its own, and this process has nothing more to ask.
    await mongoose.disconnect();
    // A connection that is handed over is lost with a child that ends before it has taken it: its client hears nothing,
    // not even a refusal. One that waits at the port is taken by the next child.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: entry, args: [CHILD_ARGUMENT] });
    // Each child has the name of the one before it, and so takes over its jobs.
    const worker = `${run}.0`;
    const told: ToChild = { kind: 'start', uri, worker, takesOverFrom: [worker, ...killedRuns] };
    const supervisor: Supervisor = { log, start: told, stopping: new AbortController(), running: null };
    shutdown.push('app', () => stopChild(supervisor));
    if (shutdown.isStopping) return;
    await startChild(supervisor);
    forgetKilledRuns();
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

/** Resolves when the child serves, and starts it again when it ends later; throws StartError when it does not serve. */
async function startChild(supervisor: Supervisor, attempt = 0): Promise<void> {
  const { log, start, stopping } = supervisor;
  const child = cluster.fork();
  const ended = endOf(child).finally(() => {
    supervisor.running = null;
  });
  supervisor.running = { child, ended };
  await untilReady(child, ended, () => tell(child, stopping.signal.aborted ? { kind: 'stop' } : start));
  const readyAt = performance.now();
  log.info('Process is running', { pid: child.process.pid });
  endWhenUnresponsive(child, ended, log);
  void ended.then((how) => {
    if (stopping.signal.aborted) return;
    log.error('Process ended by itself; starting it again', { error: how });
    const servedWell = performance.now() - readyAt > SERVED_WELL_MS;
    return startAgain(supervisor, servedWell ? 0 : attempt);
  });
}

/** Kills a frozen child: it takes no connection and no other signal. It is then started again like any other. */
function endWhenUnresponsive(child: Child, ended: Promise<string>, log: Log): void {
  if (child.process.pid === undefined) return;
  const watch = startWatchdog(child.process.pid, () => {
    log.error('Process does not respond; stopping it', { pid: child.process.pid });
    child.process.kill('SIGKILL');
  });
  child.on('message', (message: FromChild) => {
    if (message.kind === 'alive') watch.heard(message.isDebugged);
  });
  void ended.then(watch.stop);
}

function endOf(child: Child): Promise<string> {
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    // When the system could start no process, the child never exits.
    child.on('error', (error) => child.process.pid === undefined && resolve(String(error)));
  });
}

/** Only our own program writes to this channel, and it takes `FromChild` alone (child.ts). */
function untilReady(child: Child, ended: Promise<string>, onConnected: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromChild) => {
      if (message.kind === 'connected') onConnected();
      else if (message.kind === 'ready') resolve();
      else if (message.kind === 'failed') reject(new StartError(message.exitCode, message.sentence));
    });
    void ended.then((how) =>
      reject(
        new StartError(EXIT_FAILED, `The process of the app ended before it was ready (${how}); look at the log.`),
      ),
    );
  });
}

/** Tries until the child runs or is to stop. A loop: promises that wait for one another would take ever more memory. */
async function startAgain(supervisor: Supervisor, firstAttempt: number): Promise<void> {
  const { log, stopping } = supervisor;
  for (let attempt = firstAttempt; ; attempt += 1) {
    await wait(restartDelayMs(attempt), undefined, { signal: stopping.signal }).catch(() => undefined);
    if (stopping.signal.aborted) return;
    try {
      return await startChild(supervisor, attempt + 1);
    } catch (error) {
      if (stopping.signal.aborted) return;
      log.error('Process could not be started again', {
        error: String(error),
        nextTryInMs: restartDelayMs(attempt + 1),
      });
    }
  }
}

function restartDelayMs(attempt: number): number {
  return RESTART_DELAYS_MS[Math.min(attempt, RESTART_DELAYS_MS.length - 1)] ?? 0;
}

/** Asks the child to stop, and waits for it; the child limits its own time. */
async function stopChild({ stopping, running }: Supervisor): Promise<void> {
  stopping.abort();
  if (running === null) return;
  tell(running.child, { kind: 'stop' });
  await running.ended;
}

/** Sends a message to the child; nothing when it has ended, which its `exit` reports. */
function tell(child: Child, message: ToChild): void {
  if (child.isConnected()) child.send(message, () => undefined);
}
