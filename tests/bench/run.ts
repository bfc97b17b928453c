import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMongod } from '../../server/mongod-binary.ts';
import { freePort, initiate, launchMongod } from '../../server/mongod-process.ts';
import { loadLine, pinned, stopChild } from './harness.ts';

/**
 * `npm run bench`, or `npm run bench -- api start` for some: runs each `*.bench.ts` in a process of its own, pinned beside
 * the servers that it starts. Fails only when an answer was wrong or a bench broke, never on time.
 */
const FOLDER = 'tests/bench';
/** A bench that hangs is ended; all of them together stay within a few minutes. */
const BENCH_TIMEOUT_MS = 120_000;

const QUIET = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error };

async function startDatabase(): Promise<{ uri: string; stop(): Promise<void> }> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const { MONGOMS_SYSTEM_BINARY: systemBinary, PATH: searchPath = '' } = process.env;
  const mongod = await findMongod({ systemBinary, searchPath, cacheFolder: join(cache, 'fairlead') }, QUIET);
  const dbPath = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'fairlead-bench-mongo-'));
  const port = await freePort();
  const running = await launchMongod({ mongod, dbPath, port, replSet: 'bench' });
  await initiate({ port, replSet: 'bench' });
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    stop: async () => {
      await running.stop();
      await rm(dbPath, { recursive: true, force: true });
    },
  };
}

/** After an interruption what was started is stopped, and no further bench begins. */
let isInterrupted = false;

async function runBench(file: string, mongoUri: string): Promise<boolean> {
  const [program = process.execPath, ...args] = pinned(1, [process.execPath, '--import', 'tsx', join(FOLDER, file)]);
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, BENCH_MONGODB_URI: mongoUri } });
  const interrupt = (): void => {
    isInterrupted = true;
    void stopChild(child);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const timer = setTimeout(() => {
    console.error(`${file} took longer than ${BENCH_TIMEOUT_MS / 1000} s and is ended.`);
    void stopChild(child);
  }, BENCH_TIMEOUT_MS);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  if (code !== 0) console.error(`${file} failed.`);
  return code === 0;
}

function versionsLine(): string {
  const names = ['@trpc/server', 'express', 'mongoose', 'ws', 'zod', 'superjson', 'vite', 'react'];
  return names
    .map((name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version}`)
    .join(', ');
}

const wanted = process.argv.slice(2);
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) => wanted.length === 0 || wanted.includes(name.replace('.bench.ts', '')));
if (files.length === 0) throw new Error(`There is no bench of that name in ${FOLDER}.`);

console.log(
  `${new Date().toISOString()}, Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model}), ${loadLine()}`,
);
console.log(versionsLine());
const database = await startDatabase();
let failed = 0;
try {
  for (const file of files) {
    if (isInterrupted) break;
    const startedAt = performance.now();
    console.log('');
    if (!(await runBench(file, database.uri))) failed += 1;
    console.log(`  ${file}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${loadLine()}`);
  }
} finally {
  await database.stop();
}
process.exitCode = failed === 0 ? 0 : 1;
