import { connectMongo } from '../../server/database/mongo.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createPlatforms } from '../../server/publishing/platforms/index.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createTestApp } from './app.ts';
import { testEgress } from './platforms.ts';
import { TOKEN } from './standins/stand-in.ts';

/**
 * A process of its own that works on a release until it ends itself by SIGKILL at a boundary: `node --import tsx
 * platform-process.ts {mongo uri} {database} {store folder} {boundary} {address of the platform's API} {of GitHub's}`.
 * `answer:5` is when the fifth answer has come from anywhere, before anything is done with it; `before:5` and `after:5` are
 * before the fifth request that changes something is sent, and when its own answer has come.
 */
const [, , uri = '', databaseName = '', folder = '', boundary = '', apiUrl = '', githubApiUrl = ''] = process.argv;
const egress = testEgress();
let answers = 0;
let changes = 0;
await connectMongo(uri, { databaseName });
const app = await createTestApp({
  providers: {
    store: await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() }),
    platforms: createPlatforms({
      ...{ netlify: apiUrl, vercel: apiUrl, render: apiUrl, heroku: apiUrl },
      'github-pages': githubApiUrl,
    }),
    credentialsOf: () => ({ tokenOf: async () => TOKEN, refused: async () => undefined }),
    wait: async () => undefined,
    egress: {
      request: async (url, asked, read) => {
        const change = (asked.method ?? 'GET') === 'GET' ? null : ++changes;
        await at(`before:${change}`);
        const answer = await egress.request(url, asked, read);
        answers += 1;
        await at(`answer:${answers}`);
        await at(`after:${change}`);
        return answer;
      },
    },
    faults: { at },
  },
});
await app.jobs.drain();
// It was to die before this.
process.exit(3);

async function at(reached: string): Promise<void> {
  if (reached !== boundary) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal takes a moment: nothing more may happen in it.
  await new Promise(() => undefined);
}
