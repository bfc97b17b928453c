import { createDiskStore } from '../../server/artifacts/disk.ts';
import { connectMongo } from '../../server/mongo.ts';
import { createRateCounters } from '../../server/rate-counters.ts';
import { createTestApp } from './app.ts';
import { platforms } from './platforms.ts';
import { simulated } from './standins/simulated/index.ts';

/**
 * A process of its own that works on a release until it ends itself by SIGKILL at a boundary: `node --import tsx
 * platform-process.ts {mongo uri} {database} {store folder} {port of the vendor} {play} {boundary}`.
 */
const [, , uri = '', databaseName = '', folder = '', port = '', play = '', boundary = ''] = process.argv;
await connectMongo(uri, { databaseName });
const app = await createTestApp({
  providers: {
    store: await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() }),
    platforms: {
      ...platforms,
      simulated: simulated[play === 'viaGit' ? 'viaGit' : 'upload'](`http://127.0.0.1:${port}/api`),
    },
    credentialsOf: () => ({ tokenOf: async () => 'a-secret-token', refused: async () => undefined }),
    wait: async () => undefined,
    faults: {
      at: async (reached) => {
        if (reached !== boundary) return;
        process.kill(process.pid, 'SIGKILL');
        // The signal takes a moment: nothing more may happen in it.
        await new Promise(() => undefined);
      },
    },
  },
});
await app.jobs.drain();
// It was to die before this.
process.exit(3);
