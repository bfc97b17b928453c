import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { findMongod } from '../../server/database/embedded/mongod-binary.ts';
import { launchMongod } from '../../server/database/embedded/mongod-process.ts';
import { initiate } from '../../server/database/embedded/replica-set.ts';
import { onFreePort } from './free-ports.ts';

declare module 'vitest' {
  interface ProvidedContext {
    mongoUri: string;
    mongodPath: string;
  }
}

const QUIET = {
  debug: () => undefined,
  info: (text: string) => console.log(text),
  warn: console.warn,
  error: console.error,
};

/** Finds the product's database program, or fetches it. */
export const findDatabase = () => findMongod(readMongodSources(process.env), QUIET);

/**
 * One `mongod` for the whole run, found or fetched as the product does it. In memory where the system has /dev/shm, and
 * without the journal's wait: what needs durability starts real apps (tests/faults). `notablescan` refuses every
 * filter that no index serves, and test commands let a test have the server refuse a write.
 *
 * A dropped database keeps its files open until a checkpoint has passed the history that snapshots may ask for: by the
 * defaults (`minSnapshotHistoryWindowInSeconds` 300, `syncdelay` 60) those of all test files of the last minutes, some
 * 250 each, which exceeds the usual limits of open files and ends the server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mongod = await findDatabase();
  const dbPath = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'fairlead-mongo-'));
  let isOver = false;
  const args = [
    ...['--setParameter', 'notablescan=1', '--setParameter', 'enableTestCommands=1'],
    ...['--setParameter', 'minSnapshotHistoryWindowInSeconds=0', '--syncdelay', '10'],
  ];
  const { port, running } = await onFreePort(async (free) => ({
    port: free,
    running: await launchMongod({ mongod, dbPath, port: free, replSet: 'tests', args }),
  }));
  void running.ended.then((how) => {
    if (!isOver) console.error(`The tests' database ended by itself: ${how}`);
  });
  await initiate({ port, replSet: 'tests', isDurable: false });
  project.provide('mongoUri', `mongodb://127.0.0.1:${port}/?directConnection=true`);
  project.provide('mongodPath', mongod.path);
  return async () => {
    isOver = true;
    await running.stop();
    await rm(dbPath, { recursive: true, force: true });
  };
}
