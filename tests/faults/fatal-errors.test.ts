import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Account, clientOf, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { get } from '../support/host.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { program } from '../support/program.ts';
import { startRealApp } from '../support/real-app.ts';

/** Within 90 s of the restart nothing is left running that nobody works on. */
const SETTLED_MS = 90_000;

/** Asks twice a second: calls are limited to 600 a minute. */
async function endOf(account: Account, releaseId: string): Promise<string> {
  const giveUpAt = Date.now() + SETTLED_MS;
  while (Date.now() < giveUpAt) {
    const { state } = await clientOf(account).releases.get.query({ releaseId });
    if (state === 'live' || state === 'failed') return state;
    await wait(500);
  }
  return 'not settled';
}

test.each(['throw', 'reject'])(
  'an error that nobody caught (%s) is logged, only an exception ends the app, and the next start takes its work over',
  async (kind) => {
    await using mongod = await startOwnMongod();
    await using app = await startRealApp({ MONGODB_URI: mongod.uri });
    const built = app.entry;
    const account = await openAccount(app.url, 'fatal errors');
    const site = await publishSite(account, 'Fatal errors', { 'index.html': 'first' });
    await app.kill();
    app.entry = [...program('fatal-error-main'), kind, 'processing:start'];
    await app.restart();

    const closed = once(app.child, 'close');
    const { release } = await startPublish(account, site, { 'index.html': 'second' });
    if (kind === 'throw') {
      await closed;
      expect(app.child.exitCode).toBe(1);
      expect(app.output()).toMatch(/"message":"An error that nobody caught ends the process","error":"Error: planted/);
    } else {
      await expect
        .poll(() => app.output())
        .toMatch(/"message":"A rejected promise was not handled".*planted.*"kind":"rejection","count":1/);
      expect((await fetch(`${app.url}/api/health`)).status).toBe(200);
      await app.kill();
    }
    await mongod.prolongLeases();
    app.entry = built;
    await app.restart();
    expect(await endOf(account, release.id)).toBe('live');
    expect((await get(app.sitesPort, `${site.slug}.localhost:${app.sitesPort}`, '/')).text).toBe('second');
  },
);
