import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import mongoose from 'mongoose';
import { connectMongo } from '../../server/database/mongo.ts';
import { createTestApp } from './app.ts';
import { refusalOf } from './refusal.ts';
import { retryUntilAvailable } from './retry-until-available.ts';

/**
 * Runs one instance of the application in a process of its own, for the tests of the plan cap. It says "ready", and
 * waits for a line that tells it what to do, so that several begin together.
 * `create` makes so many deployments at once, or domains of a deployment, and says what became of each. `churn` creates
 * and removes until it is killed.
 */
type Told = { act: 'create' | 'churn'; accountId: string; count: number; deploymentId: string | null };

const [mongoUri = '', databaseName = ''] = process.argv.slice(2);

await connectMongo(mongoUri, { databaseName });
const app = await createTestApp();
const callerOf = (accountId: string) =>
  app.callerOf(app.context({ kind: 'account', accountId, sessionId: 'instance' }));

function create(accountId: string, n: number) {
  const idempotencyKey = `instance-${process.pid}-${n}-${randomUUID()}`;
  return retryUntilAvailable(() =>
    callerOf(accountId).deployments.create({ name: `Site ${process.pid} ${n}`, platform: 'built-in', idempotencyKey }),
  );
}

function add(accountId: string, deploymentId: string, n: number) {
  const name = `site-${process.pid}-${n}.test`;
  return retryUntilAvailable(() => callerOf(accountId).domains.add({ deploymentId, name }));
}

async function attempt({ accountId, count, deploymentId }: Told): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const creation: Promise<unknown> = deploymentId === null ? create(accountId, n) : add(accountId, deploymentId, n);
      const isCreated = await creation.then(
        () => true,
        () => false,
      );
      return isCreated ? 'created' : (await refusalOf(creation)).code;
    }),
  );
}

async function churn({ accountId }: Told): Promise<never> {
  for (let n = 0; ; n += 1) {
    const [first] = await Promise.all([create(accountId, n), create(accountId, n)]);
    await retryUntilAvailable(() => callerOf(accountId).deployments.remove({ deploymentId: first.id }));
    await app.jobs.drain();
    console.log('turn');
  }
}

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const told: Told = JSON.parse(line);
  if (told.act === 'churn') await churn(told);
  console.log(JSON.stringify(await attempt(told)));
}
// Nobody tells it anything any more.
await app[Symbol.asyncDispose]();
await mongoose.disconnect();
