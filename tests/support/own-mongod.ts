import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { findMongod } from '../../server/database/embedded/mongod-binary.ts';
import { launchMongod, signalProcess } from '../../server/database/embedded/mongod-process.ts';
import { initiate } from '../../server/database/embedded/replica-set.ts';
import type { Log } from '../../server/lib/log.ts';
import { onFreePort } from './free-ports.ts';
import { holdProcess } from './held-process.ts';

type Database = ReturnType<InstanceType<typeof mongoose.mongo.MongoClient>['db']>;

export type OwnMongod = {
  /** Includes the database's name, `fairlead`. */
  uri: string;
  /** The tests' own connection to it, which fails while it is down. */
  database: Database;
  /** Ends the leases of jobs that are held, which takes up to 30 s by itself. */
  endLeases(): Promise<void>;
  /** Makes the leases of now last for hours: a job goes on only when somebody knows that its holder is dead. */
  prolongLeases(): Promise<void>;
  /** Stops it with its sockets open, until the returned function is called. Resolves when no thread of it runs any more. */
  hold(): Promise<() => void>;
  /** SIGKILL, and waits until it is gone; the data stay. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; resolves when it takes writes. */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const REPL_SET = 'own';
const HOURS_MS = 6 * 3_600_000;

/**
 * Returns a database of the test's own, with the durability of the product's, for apps with MONGODB_URI and for bare
 * workers.
 */
export async function startOwnMongod(): Promise<OwnMongod> {
  const mongod = await findMongod(readMongodSources(process.env), SILENT);
  const dbPath = await mkdtemp(join(tmpdir(), 'fairlead-mongod-'));
  const launch = (port: number) => launchMongod({ mongod, dbPath, port, replSet: REPL_SET });
  let { port, running } = await onFreePort(async (free) => ({ port: free, running: await launch(free) }));
  await initiate({ port, replSet: REPL_SET });
  const uri = `mongodb://127.0.0.1:${port}/fairlead?directConnection=true`;
  const client = new mongoose.mongo.MongoClient(uri);
  const answers = (): Promise<boolean> =>
    client
      .db()
      .command({ ping: 1 })
      .then(
        () => true,
        () => false,
      );
  const leaseUntil = async (at: Date): Promise<void> => {
    await client
      .db()
      .collection('jobs')
      .updateMany({ status: 'running' }, { $set: { leaseUntil: at } });
  };
  return {
    uri,
    database: client.db(),
    endLeases: () => leaseUntil(new Date(0)),
    prolongLeases: () => leaseUntil(new Date(Date.now() + HOURS_MS)),
    async hold() {
      if (running.pid === undefined) throw new Error('The database has not started.');
      return holdProcess(running.pid);
    },
    async kill() {
      if (running.pid !== undefined) signalProcess(running.pid, 'SIGKILL');
      await running.ended;
    },
    async restart() {
      running = await launch(port);
      await initiate({ port, replSet: REPL_SET });
      // The connections from here broke with it, which the first questions find out.
      while (!(await answers()));
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      // A test that failed may have left it held, and the signal of the stop would wait for ever.
      if (running.pid !== undefined) signalProcess(running.pid, 'SIGCONT');
      await running.stop();
      await rm(dbPath, { recursive: true, force: true });
    },
  };
}
