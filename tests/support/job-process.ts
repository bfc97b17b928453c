import { setTimeout as wait } from 'node:timers/promises';
import type { JobHandlers } from '../../server/jobs/handler.ts';
import { createWorker } from '../../server/jobs/worker.ts';
import { RateLimitModel } from '../../server/models/rate-limit.ts';
import { connectMongo } from '../../server/mongo.ts';
import { createTestApp } from './app.ts';

/**
 * A process of its own that works on jobs until it is killed: `node --import tsx job-process.ts {mongo uri} {database}`.
 * Each job counts up its own row in its transaction.
 */
const [, , uri = '', databaseName = ''] = process.argv;
await connectMongo(uri, { databaseName });
const app = await createTestApp();
const handlers: JobHandlers = {
  'remove-deployment': {
    async run(job) {
      await job.transaction(async (session) => {
        const _id = `effect:${job.payload.deploymentId}`;
        // A handler looks first what is done already: its process may have died right after this was written.
        if ((await RateLimitModel.exists({ _id }).session(session)) !== null) return;
        const expiresAt = new Date(Date.now() + 3_600_000);
        await RateLimitModel.updateOne(
          { _id },
          { $inc: { count: 1 }, $set: { at: new Date(), expiresAt } },
          { session, upsert: true },
        );
      });
      // The gap in which a kill is cruellest: the effect is written, the job is not ended.
      await wait(5);
    },
  },
};
await createWorker(app.providers, { handlers, pollMs: 100, loops: 2 }).start();
process.stdout.write('ready\n');
