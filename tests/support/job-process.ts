import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { connectMongo } from '../../server/database/mongo.ts';
import { AppError } from '../../server/lib/errors.ts';
import type { JobHandlers, RunningJob } from '../../server/queue/handler.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { createTestApp } from './app.ts';

/**
 * A process of its own that works on jobs until it is killed (support/job-processes.ts starts it):
 * `node --import tsx job-process.ts {mongo uri} {database} {count | pause} {ms}`. Each job counts up its own row in its
 * transaction, and the row says when by the database's clock.
 *
 *   count  and works on for so many milliseconds
 *   pause  but says `begun` first and waits for a line, and then says what became of its write
 */
type Job = RunningJob<'remove-deployment'>;

const [, , uri = '', databaseName = '', mode = 'count', ms = '5'] = process.argv;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const lines = createInterface({ input: process.stdin });

async function countUp(job: Job, session: ClientSession): Promise<void> {
  const expiresAt = { $dateAdd: { startDate: '$$NOW', unit: 'hour', amount: 1 } };
  const count = { $add: [{ $ifNull: ['$count', 0] }, 1] };
  await RateLimitModel.updateOne(
    { _id: `effect:${job.payload.deploymentId}` },
    [{ $set: { count, at: '$$NOW', expiresAt } }],
    { session, upsert: true, updatePipeline: true },
  );
}

async function count(job: Job): Promise<void> {
  await job.transaction(async (session) => {
    // A handler looks first what is done already: its process may have died right after this was written.
    const _id = `effect:${job.payload.deploymentId}`;
    if ((await RateLimitModel.exists({ _id }).session(session)) === null) await countUp(job, session);
  });
  // The gap in which a kill is cruellest: the effect is written, the job is not ended.
  await wait(Number(ms));
  say('worked');
}

async function pause(job: Job): Promise<void> {
  say('begun');
  await once(lines, 'line');
  const became = await job
    .transaction((session) => countUp(job, session))
    .then(
      () => 'written',
      (error: unknown) => (error instanceof AppError ? `refused: ${error.code}` : String(error)),
    );
  say(became);
}

const handlers: JobHandlers = { 'remove-deployment': { run: mode === 'pause' ? pause : count } };
await connectMongo(uri, { databaseName });
const app = await createTestApp();
await createWorker(app.providers, { handlers, pollMs: 100, loops: 2 }).start();
say('ready');
