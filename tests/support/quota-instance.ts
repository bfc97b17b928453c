import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import mongoose from 'mongoose';
import { connectMongo } from '../../server/database/mongo.ts';
import { createTestApp } from './app.ts';
import { refusalOf } from './refusal.ts';
import { retryUntilAvailable } from './retry-until-available.ts';

/**
 * Runs one instance of the application in a process of its own, for the tests of the plan cap. It says "ready", and
 * waits for "go" so that several begin together.
 * `create` makes so many creations at once, and says what became of each; told a deployment it does the same with
 * domains of it. `churn` creates and removes until it is killed.
 */
const [mode, mongoUri = '', databaseName = '', accountId = '', count = '0'] = process.argv.slice(2);

await connectMongo(mongoUri, { databaseName });
const app = await createTestApp();
const { deployments, domains } = app.callerOf(app.context({ kind: 'account', accountId, sessionId: 'instance' }));
function create(n: number) {
  const idempotencyKey = `instance-${process.pid}-${n}-${randomUUID()}`;
  return retryUntilAvailable(() =>
    deployments.create({ name: `Site ${process.pid} ${n}`, platform: 'built-in', idempotencyKey }),
  );
}

/** Says what became of each of so many at once. */
async function attempt(act: (n: number) => Promise<unknown>): Promise<void> {
  const outcomes = await Promise.all(
    Array.from({ length: Number(count) }, async (_, n) => {
      const creation = act(n);
      const isCreated = await creation.then(
        () => true,
        () => false,
      );
      return isCreated ? 'created' : (await refusalOf(creation)).code;
    }),
  );
  console.log(JSON.stringify(outcomes));
}

const lines = createInterface({ input: process.stdin });
console.log('ready');
await new Promise((resolve) => lines.once('line', resolve));

if (mode === 'churn') {
  for (let n = 0; ; n += 1) {
    const [first] = await Promise.all([create(n), create(n)]);
    await retryUntilAvailable(() => deployments.remove({ deploymentId: first.id }));
    await app.jobs.drain();
    console.log('turn');
  }
}
const saidNext = once(lines, 'line');
await attempt(create);
const [deploymentId = ''] = await saidNext;
await attempt((n) => retryUntilAvailable(() => domains.add({ deploymentId, name: `site-${process.pid}-${n}.test` })));
lines.close();
await app[Symbol.asyncDispose]();
await mongoose.disconnect();
