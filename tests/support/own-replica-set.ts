import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { findMongod } from '../../server/database/embedded/mongod-binary.ts';
import { launchMongod } from '../../server/database/embedded/mongod-process.ts';
import type { Log } from '../../server/lib/log.ts';
import { onFreePort } from './free-ports.ts';

type Database = ReturnType<InstanceType<typeof mongoose.mongo.MongoClient>['db']>;

export type OwnReplicaSet = {
  uri: string;
  /** Read from the primary, whichever that is. */
  database: Database;
  /** Has the primary step down; resolves when another member takes writes. False where none was ready to follow. */
  stepDown(): Promise<boolean>;
  [Symbol.asyncDispose](): Promise<void>;
};

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const REPL_SET = 'three';
const STEP_DOWN = { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 };

/** Three members with the durability of the product's own, for apps with MONGODB_URI. */
export async function startOwnReplicaSet(): Promise<OwnReplicaSet> {
  const mongod = await findMongod(readMongodSources(process.env), SILENT);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-replica-set-'));
  const start = async () => {
    const dbPath = await mkdtemp(join(folder, 'member-'));
    return onFreePort(async (port) => ({
      port,
      running: await launchMongod({ mongod, dbPath, port, replSet: REPL_SET }),
    }));
  };
  const members = [await start(), await start(), await start()];
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  const alone = new mongoose.mongo.MongoClient(`mongodb://${hosts[0]}/?directConnection=true`);
  const config = { _id: REPL_SET, members: hosts.map((host, _id) => ({ _id, host })) };
  await alone.db('admin').command({ replSetInitiate: config });
  await alone.close();
  const uri = `mongodb://${hosts.join(',')}/fairlead?replicaSet=${REPL_SET}`;
  const client = new mongoose.mongo.MongoClient(uri);
  const primary = async (): Promise<string> => String((await client.db('admin').command({ hello: 1 })).me);
  await primary();
  return {
    uri,
    database: client.db(),
    async stepDown() {
      const before = await primary();
      const hasStepped = await client
        .db('admin')
        .command(STEP_DOWN)
        .then(
          () => true,
          () => false,
        );
      if (hasStepped) while ((await primary()) === before);
      return hasStepped;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await Promise.all(members.map(({ running }) => running.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
