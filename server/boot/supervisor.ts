import cluster, { type Worker as Child } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { EXIT_FAILED, type ExitCode, StartError } from '../lib/start-error.ts';
import type { Env } from './env/env.ts';
import { openDatabase, openOwnFolder } from './ground.ts';
import type { LifeCycle } from './life-cycle.ts';
import { createShutdownStack } from './shutdown-stack.ts';
import { startWatchdog } from './watchdog.ts';

/** Between the end of a child and its next start; one that has served for a while begins at the first again. */
const RESTART_DELAYS_MS = [0, 100, 500, 1_000, 2_000, 5_000];
const SERVED_WELL_MS = 10_000;

/** With this argument, which `npm start` gives, the app runs as a child that this process starts again when it ends. */
export const SUPERVISED_ARGUMENT = '--supervised';

/** The first argument of a child, which tells it apart from a worker of somebody else's cluster. */
export const CHILD_ARGUMENT = 'child-of-a-supervisor';

/**
 * Messages of the supervisor to its child; `worker` names the job worker, which takes over the jobs of the others, and
 * `isFirst` is true until a child has served.
 */
export type ToChild =
  | { kind: 'start'; uri: string; worker: string; isFirst: boolean; takesOverFrom: string[] }
  | { kind: 'stop' };

/** Messages of the child to its supervisor. */
export type FromChild =
  /** The child takes messages from now on; earlier ones are lost. */
  | { kind: 'connected' }
  | { kind: 'ready' }
  /** Sent again and again by a child whose event loop turns. `isDebugged`: a debugger may hold it at any line. */
  | { kind: 'alive'; isDebugged: boolean }
  | { kind: 'failed'; sentence: string; exitCode: ExitCode };

export type SupervisorOptions = {
  env: Env;
  log: Log;
  entry: string;
};

type Supervisor = {
  log: Log;
  /** Resolves when the database takes connections. */
  uri: Promise<string>;
  start: Omit<Extract<ToChild, { kind: 'start' }>, 'uri'>;
  /** No child is started again once this is aborted. */
  stopping: AbortController;
  /** `ended` resolves with how. */
  running: { child: Child; ended: Promise<string> } | null;
};

/**
 * Runs the application in a child process, and starts that again when it ends. This process holds the lock on the data
 * folder and the embedded database; the child runs the host, the HTTP server and the job worker (child.ts). Nobody
 * listens between two children: connections are refused until the next one does.
 *
 * A signal of a terminal reaches both processes, so the child obeys this one alone; it ends when this process ends.
 */
export function createSupervisor({ env, log, entry }: SupervisorOptions): LifeCycle {
  const shutdown = createShutdownStack(log);

  async function start(): Promise<void> {
    const data = await openOwnFolder(env, log, shutdown.push);
    // A connection that is handed over is lost with a child that ends before it has taken it: its client hears nothing,
    // not even a refusal.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: entry, args: [CHILD_ARGUMENT] });
    const uri = openDatabase(env, log, shutdown.push);
    // Each child has the name of the one before it, and so takes over its jobs.
    const worker = `${data.run}.0`;
    const takesOverFrom = [worker, ...data.killedRuns];
    const start: Supervisor['start'] = { kind: 'start', worker, isFirst: true, takesOverFrom };
    const supervisor: Supervisor = { log, uri, start, stopping: new AbortController(), running: null };
    // The child loads its modules while the database starts.
    const serving = startChild(supervisor);
    serving.catch(() => undefined);
    await uri;
    shutdown.push('app', () => stopChild(supervisor));
    await serving;
    start.isFirst = false;
    data.forgetKilledRuns();
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
  const { log, stopping } = supervisor;
  const child = cluster.fork();
  const ended = endOf(child).finally(() => {
    supervisor.running = null;
  });
  supervisor.running = { child, ended };
  await untilReady(child, ended, () => sendStart(child, supervisor));
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
function untilReady(child: Child, ended: Promise<string>, onConnected: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromChild) => {
      if (message.kind === 'connected') void onConnected();
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

/** Has the child start once the database is there; without one the start ends, and the child with it. */
async function sendStart(child: Child, { uri, start, stopping }: Supervisor): Promise<void> {
  const known = await uri.catch(() => null);
  if (known !== null) send(child, stopping.signal.aborted ? { kind: 'stop' } : { ...start, uri: known });
}

/** Asks the child to stop, and waits for it; the child limits its own time. */
async function stopChild({ stopping, running }: Supervisor): Promise<void> {
  stopping.abort();
  if (running === null) return;
  send(running.child, { kind: 'stop' });
  await running.ended;
}

/** Sends a message to the child; nothing when it has ended, which its `exit` reports. */
function send(child: Child, message: ToChild): void {
  if (child.isConnected()) child.send(message, () => undefined);
}
