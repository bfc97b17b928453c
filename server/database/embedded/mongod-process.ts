import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { errnoOf } from '../../lib/durable-file.ts';
import type { Log } from '../../lib/log.ts';
import type { Mongod } from './mongod-binary.ts';

export type Credentials = { user: string; password: string };

export type LaunchOptions = {
  mongod: Mongod;
  dbPath: string;
  port: number;
  /** Tests leave it out for a server that is no replica set. */
  replSet?: string;
  /** Added to the arguments that every `mongod` gets. */
  args?: string[];
  /** Set together with the credentials or not at all: without them there is no access control, for tests alone. */
  keyfile?: string;
  credentials?: Credentials;
};

export type MongodProcess = {
  pid: number | undefined;
  /** Resolves with a description of how the process ended. */
  ended: Promise<string>;
  stop(): Promise<void>;
};

/** Includes the time to replay the journal after a crash, which is long on a slow disk. */
const LAUNCH_TIMEOUT_MS = 60_000;
const ORPHAN_TIMEOUT_MS = 15_000;

/**
 * 0.25 GB of cache is plenty here, and diagnostics would double the time of a start. A set of one has nobody to hand
 * over to, so its end waits for nothing. Nothing uses JavaScript in the server. A killed process leaves its open
 * transaction behind, which locks its account for 60 s by default; ours take a fraction of a second, so 10 s are
 * enough.
 */
const ARGUMENTS = [
  ...['--wiredTigerCacheSizeGB', '0.25', '--quiet', '--noscripting'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
];

/**
 * Starts a `mongod` and waits until it takes connections. It ends when this process ends, however that comes. It has a
 * process group of its own: Ctrl-C in a terminal reaches the app, and the app stops the database last. Throws an Error
 * with what its log says when it does not start.
 */
export async function launchMongod(options: LaunchOptions): Promise<MongodProcess> {
  const mongod = spawn(options.mongod.path, argumentsOf(options), {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(mongod, 'close').then(([code, signal]) => String(signal ?? `exit code ${code}`));
  const { pid } = mongod;
  if (pid !== undefined) endWithThisProcess(pid, ended);
  await untilListening(mongod, ended);
  return {
    pid,
    ended,
    async stop() {
      if (pid !== undefined) signalProcess(pid, 'SIGTERM');
      await ended;
    },
  };
}

function argumentsOf({ port, dbPath, replSet, args = [], keyfile, credentials }: LaunchOptions): string[] {
  return [
    ...['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', dbPath, ...ARGUMENTS],
    ...(replSet === undefined ? [] : ['--replSet', replSet]),
    ...(credentials === undefined ? ['--noauth'] : ['--auth']),
    ...(keyfile === undefined ? [] : ['--keyFile', keyfile]),
    ...args,
  ];
}

/** Lets a shell wait for the end of a pipe from this process, which the system closes also when this one is killed. */
function endWithThisProcess(pid: number, ended: Promise<string>): void {
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  // Without a watcher, what a killed app leaves is ended by the next start (stopOrphanedMongod).
  watcher.on('error', () => undefined);
  // Its number may belong to another process soon.
  void ended.then(() => watcher.kill('SIGKILL'));
}

async function untilListening(
  mongod: ChildProcessByStdio<null, Readable, null>,
  ended: Promise<string>,
): Promise<void> {
  const killTimer = setTimeout(() => mongod.kill('SIGKILL'), LAUNCH_TIMEOUT_MS);
  let fault: string | undefined;
  try {
    for await (const line of createInterface({ input: mongod.stdout })) {
      if (line.includes('"msg":"Waiting for connections"')) return;
      // Its log is JSON, one entry a line: "s" is the severity, E an error and F a fatal one.
      const isError = line.includes('"s":"E"') || line.includes('"s":"F"');
      if (isError) fault ??= line.slice(line.indexOf('"msg"'));
    }
  } finally {
    clearTimeout(killTimer);
    // A pipe that nobody reads would stop it.
    mongod.stdout.resume();
  }
  throw new Error(fault ?? `mongod ended with ${await ended}`);
}

/** Sends a signal; returns false when the process is gone, which may happen at any moment. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Returns the wanted port when it is free, or any other free port. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined) {
    const port = await tryPort(wanted).catch(() => null);
    if (port !== null) return port;
  }
  return tryPort(0);
}

async function tryPort(port: number): Promise<number> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}

/** Ends a `mongod` that a killed app left behind, and waits until it has released the data. */
export async function stopOrphanedMongod(dbPath: string, log: Log): Promise<void> {
  const pid = await runningMongod(dbPath);
  if (pid === null) return;
  log.info('Database of an earlier start is still running; ending it first', { pid });
  signalProcess(pid, 'SIGTERM');
  const killAt = performance.now() + ORPHAN_TIMEOUT_MS;
  while (await isMongodOf(pid, dbPath)) {
    if (performance.now() > killAt) signalProcess(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns the process number of the `mongod` that runs on that folder; null when none does. */
export async function runningMongod(dbPath: string): Promise<number | null> {
  const pid = Number((await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => '')).trim());
  return Number.isInteger(pid) && pid > 0 && (await isMongodOf(pid, dbPath)) ? pid : null;
}

/** Returns whether that process is a `mongod` on that folder, and not another program that got its number. */
async function isMongodOf(pid: number, dbPath: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => commandByPs(pid));
  return command.includes(dbPath);
}

/** Finds the command on systems without /proc (macOS). */
async function commandByPs(pid: number): Promise<string> {
  if (process.platform === 'linux') return '';
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'args=']).catch(() => ({ stdout: '' }));
  return stdout;
}
