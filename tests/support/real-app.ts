import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import { program } from './program.ts';

/** Below the time limit of a test, so that it tells what the app has said. */
const START_TIMEOUT_MS = 100_000;
/** The time for one request; a lost answer is requested again. */
const ANSWER_TIMEOUT_MS = 5_000;
const BUILT = ['dist/server/main.js'] as const;

export type RealApp = {
  url: string;
  sitesPort: number;
  dataDir: string;
  env: NodeJS.ProcessEnv;
  child: ChildProcess;
  /** The arguments of Node at the next start: the built product, unless a test of crashes brings its own. */
  entry: readonly string[];
  /** Everything the process has printed so far. */
  output(): string;
  /** SIGKILL, and waits until it is gone; the data folder stays. */
  kill(): Promise<void>;
  /** Starts it again on the same ports and data. */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type Fault = 'kill' | 'killArmed' | `killArmed:${number}` | 'hold' | 'fail';

/**
 * Returns the arguments that `npm start` uses, with faults at boundaries of its work (tests/support/faulty-main.ts).
 */
export function faultyEntry(faults: Record<string, Fault>): readonly string[] {
  const named = Object.entries(faults).flatMap(([boundary, fault]) => [fault, boundary]);
  return [...program('faulty-main'), ...named];
}

/** Returns the number of its running database, as the log says it. */
export function mongodPidOf(app: RealApp): number {
  const found = [...app.output().matchAll(/"message":"Database is running(?: again)?".*?"pid":(\d+)/g)].at(-1);
  return Number(found?.[1]);
}

/**
 * Returns the built product as an operator starts it: its own process, database, data folder and ports. Needs `dist/`
 * (npm run build). Resolves when `/api/ready` answers 200.
 */
export async function startRealApp(extra: NodeJS.ProcessEnv = {}, entry: readonly string[] = BUILT): Promise<RealApp> {
  const dataDir = extra.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'fairlead-app-')));
  const free = await freePorts();
  const port = extra.PORT === undefined ? free.port : Number(extra.PORT);
  const { sitesPort, tlsPort } = free;
  const env = {
    ...process.env,
    PORT: String(port),
    SITES_PORT: String(sitesPort),
    SITES_TLS_PORT: String(tlsPort),
    DATA_DIR: dataDir,
    ...extra,
  };
  const app: RealApp = {
    url: `http://localhost:${port}`,
    sitesPort,
    dataDir,
    env,
    child: spawnApp(env, entry),
    entry,
    output: () => '',
    kill: async () => {
      if (app.child.exitCode !== null || app.child.signalCode !== null) return;
      app.child.kill('SIGKILL');
      await once(app.child, 'exit');
    },
    restart: async () => {
      app.child = spawnApp(env, app.entry);
      await untilReady(app);
    },
    [Symbol.asyncDispose]: async () => {
      await stop(app.child);
      // A database of an app that was killed ends a moment after it.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  try {
    await untilReady(app);
  } catch (error) {
    await stop(app.child);
    const taken = /(\w+) is \d+, where another program already listens/.exec(String(error))?.[1];
    // Somebody has come in between, at a port that was found free.
    if (taken !== undefined && extra[taken] === undefined) return startRealApp(extra, entry);
    throw error;
  }
  return app;
}

function spawnApp(env: NodeJS.ProcessEnv, entry: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...entry], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function untilReady(app: RealApp): Promise<void> {
  let output = '';
  app.output = () => output;
  const collect = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  app.child.stdout?.on('data', collect);
  app.child.stderr?.on('data', collect);
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < giveUpAt) {
    const { exitCode, signalCode } = app.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`The app ended with ${exitCode ?? signalCode}:\n${output}`);
    const answer = await fetch(`${app.url}/api/ready`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).catch(
      () => null,
    );
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The app was not ready in time:\n${output}`);
}
