import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Account, clientOf, openAccount, publishSite, startPublish } from '../support/doors.ts';
import { get } from '../support/host.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { program } from '../support/program.ts';
import { startRealApp } from '../support/real-app.ts';

/** Product page, section 10: within 90 s of the restart nothing is left running that nobody works on. */
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
  'an error that nobody caught (%s) is logged and ends the app with 1; the next start takes its work over',
  async (kind) => {
    await using mongod = await startOwnMongod();
    await using app = await startRealApp({ MONGODB_URI: mongod.uri });
    const built = app.entry;
    const account = await openAccount(app.url, 'surprised');
    const site = await publishSite(account, 'Surprised', { 'index.html': 'first' });
    await app.kill();
    app.entry = [...program('surprised-main'), kind, 'processing:start'];
    await app.restart();

    const closed = once(app.child, 'close');
    const { release } = await startPublish(account, site, { 'index.html': 'second' });
    await closed;

    expect(app.child.exitCode).toBe(1);
    expect(app.output()).toMatch(
      /"level":"error","message":"An error that nobody caught ends the process","error":"Error: planted/,
    );
    await mongod.prolongLeases();
    app.entry = built;
    await app.restart();
    expect(await endOf(account, release.id)).toBe('live');
    expect((await get(app.sitesPort, `${site.slug}.localhost:${app.sitesPort}`, '/')).text).toBe('second');
  },
);
