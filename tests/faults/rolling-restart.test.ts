import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { startEmbeddedMongo } from '../../server/embedded-mongo.ts';
import { readMongodSources } from '../../server/env.ts';
import { newKeys } from '../../server/secrets.ts';
import { clientOf, openAccount, publishSite } from '../support/doors.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';
import { type Answer, ask } from '../support/real-group.ts';

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };
/** Calls of one token are limited to 600 a minute. */
const CALL_EVERY_MS = 300;
const VISIT_EVERY_MS = 25;

type Load = { answered: number; again: number; failed: string[] };

/** One question after the other, to the instances in turn; what one does not answer is asked of the other, once. */
async function keepAsking(
  apps: readonly [RealApp, RealApp],
  { everyMs, question, until }: { everyMs: number; question(app: RealApp): Promise<Answer>; until: AbortSignal },
): Promise<Load> {
  const load: Load = { answered: 0, again: 0, failed: [] };
  const answerOf = (app: RealApp): Promise<string> =>
    question(app).then(({ status, body }) => (status === 200 ? 'ok' : `${status} ${body}`), String);
  for (let turn = 0; !until.aborted; turn += 1) {
    const [first, second] = turn % 2 === 0 ? apps : [apps[1], apps[0]];
    if ((await answerOf(first)) !== 'ok') {
      load.again += 1;
      const outcome = await answerOf(second);
      if (outcome !== 'ok') load.failed.push(outcome);
    }
    load.answered += 1;
    await wait(everyMs);
  }
  return load;
}

test('two instances on one database are restarted in turn, and no request fails that is made again once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-rolling-'));
  const mongo = await startEmbeddedMongo({ dataDir: folder, sources: readMongodSources(process.env), log: SILENT });
  try {
    const shared = {
      MONGODB_URI: mongo.uri,
      FAIRLEAD_KEYS: JSON.stringify(newKeys()),
      ARTIFACTS_URL: pathToFileURL(join(folder, 'artifacts')).href,
    };
    await using one = await startRealApp(shared);
    await using other = await startRealApp(shared);
    const apps = [one, other] as const;
    const account = await openAccount(one.url, 'rolling');
    const { secret } = await clientOf(account).tokens.create.mutate({ name: 'load', scopes: ['read', 'write'] });
    const { slug } = await publishSite(account, 'Rolling', { 'index.html': 'always here' });
    const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ json: { message: 'still here' } });
    const over = new AbortController();
    const until = over.signal;
    const visit = (app: RealApp) => ask(`http://${slug}.localhost:${app.sitesPort}/`);
    const read = (app: RealApp) =>
      ask(`${app.url}/api/trpc/deployments.list?input=%7B%22json%22%3A%7B%7D%7D`, { headers });
    const write = (app: RealApp) => ask(`${app.url}/api/trpc/events.sendTest`, { method: 'POST', headers, body });
    // The other instance hears of the site by the change stream.
    for (const app of apps) await expect.poll(async () => (await visit(app)).body).toBe('always here');

    const loads = [
      keepAsking(apps, { everyMs: VISIT_EVERY_MS, question: visit, until }),
      keepAsking(apps, { everyMs: CALL_EVERY_MS, question: read, until }),
      keepAsking(apps, { everyMs: CALL_EVERY_MS, question: write, until }),
    ];
    for (const app of apps) {
      const ended = once(app.child, 'exit');
      app.child.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
      await app.restart();
    }
    over.abort();

    for (const load of await Promise.all(loads)) {
      expect(load.failed).toEqual([]);
      // While one was away it was asked as well: without that nothing would have been seen.
      expect(load.again).toBeGreaterThan(0);
      expect(load.answered).toBeGreaterThan(load.again);
    }
  } finally {
    await mongo.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
