import { createDiskStore } from '../../server/artifacts/disk.ts';
import { connectMongo } from '../../server/mongo.ts';
import { createPlatforms } from '../../server/platforms/index.ts';
import { createRateCounters } from '../../server/rate-counters.ts';
import { createTestApp } from './app.ts';
import { platforms } from './platforms.ts';
import { simulated } from './standins/simulated/index.ts';

/**
 * A process of its own that works on a release until it ends itself by SIGKILL at a boundary: `node --import tsx
 * platform-process.ts {mongo uri} {database} {store folder} {boundary} {platform} {address of its API} {of GitHub's}`.
 * The platform is one of the product's, or a play of the simulated one.
 */
const [, , uri = '', databaseName = '', folder = '', boundary = '', place = '', apiUrl = ''] = process.argv;
const githubApiUrl = process.argv[8] ?? apiUrl;
await connectMongo(uri, { databaseName });
const app = await createTestApp({
  providers: {
    store: await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() }),
    platforms: {
      ...platforms,
      ...createPlatforms({
        ...{ netlify: apiUrl, vercel: apiUrl, render: apiUrl, heroku: apiUrl },
        'github-pages': githubApiUrl,
      }),
      simulated: simulated[place === 'viaGit' ? 'viaGit' : 'upload'](apiUrl),
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
