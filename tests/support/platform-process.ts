import { createDiskStore } from '../../server/artifacts/disk.ts';
import { connectMongo } from '../../server/mongo.ts';
import { platforms } from '../../server/platforms/index.ts';
import { simulated } from '../../server/platforms/simulated/index.ts';
import { fetchFrom } from '../../server/platforms/simulated/vendor/index.ts';
import { createTestApp } from './app.ts';

/**
 * A process of its own that works on a release until it ends itself by SIGKILL at a boundary: `node --import tsx
 * platform-process.ts {mongo uri} {database} {store folder} {port of the vendor} {play} {boundary}`.
 */
const [, , uri = '', databaseName = '', folder = '', port = '', play = '', boundary = ''] = process.argv;
await connectMongo(uri, { databaseName });
const app = await createTestApp({
  providers: {
    store: await createDiskStore({ folder, minFreeBytes: 0 }),
    platforms: { ...platforms, simulated: play === 'viaGit' ? simulated.viaGit : simulated.upload },
    network: { fetch: fetchFrom(Number(port)), wait: async () => undefined },
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
