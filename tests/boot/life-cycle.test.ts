import { createServer } from 'node:net';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import { readEnv } from '../../server/boot/env/env.ts';
import { createLifeCycle } from '../../server/boot/life-cycle.ts';
import { connectMongo } from '../../server/database/mongo.ts';
import type { Log } from '../../server/lib/log.ts';
import { freePorts } from '../support/free-ports.ts';
import { makeFolder } from '../support/start.ts';

/** Each loop of the worker that is not at work waits on a timer. */
const WORKER_LOOPS = 4;
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('a start that finds its port taken at the end leaves no worker behind', async () => {
  const databaseName = mongoose.connection.name;
  await mongoose.disconnect();
  await using folder = await makeFolder();
  const { port, sitesPort, tlsPort } = await freePorts();
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${databaseName}`;
  const env = readEnv({
    PORT: String(port),
    SITES_PORT: String(sitesPort),
    SITES_TLS_PORT: String(tlsPort),
    DATA_DIR: join(folder.path, 'data'),
    MONGODB_URI: uri.href,
  });
  const other = createServer();
  const quiet = (): void => undefined;
  // The database is named after the ports were looked at, and before they are taken.
  const info = (message: string): void => {
    if (message.startsWith('Database: ')) other.listen(port, env.host);
  };
  const warnings: string[] = [];
  const log: Log = { debug: quiet, info, warn: (message) => void warnings.push(message), error: quiet };
  const before = timers();

  const { start } = createLifeCycle({ env, log, webRoot: folder.path });

  await expect(start()).rejects.toThrow(`PORT is ${port}, where another program already listens`);
  await expect.poll(timers).toBeLessThan(before + WORKER_LOOPS);
  // A worker that goes on finds no database.
  expect(warnings).toEqual([]);
  other.close();
  await connectMongo(inject('mongoUri'), { databaseName });
});
