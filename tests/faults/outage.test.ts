import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Account, clientOf, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { faultyEntry, startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';
import { hashedSite, loadHashedSite, startVisiting } from '../support/visitor.ts';

/** Within a call, within a lease, and longer than one. */
const AWAY_SECONDS = IS_FULL ? [1, 10, 60] : [1];
const SETTLED_MS = IS_FULL ? 90_000 : 40_000;
/** Held at a boundary, the work goes on when it is told so; after an outage it may come there once more. */
const LET_GO_EVERY_MS = 500;

async function stateOf(account: Account, releaseId: string): Promise<string> {
  return clientOf(account)
    .releases.get.query({ releaseId })
    .then(
      ({ state }) => state,
      () => 'not answered',
    );
}

/** A connection that breaks is noticed a moment later, on the loop of a busy machine not always before the next answer. */
async function expectAway(url: string, path: string, token: string): Promise<void> {
  const ask = () => fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  await expect.poll(async () => (await ask()).status, { message: path }).toBe(503);
  expect(Number((await ask()).headers.get('Retry-After')), path).toBeGreaterThan(0);
}

test.each(AWAY_SECONDS)(
  'a database that is killed in mid-release and comes back after %i s costs nothing',
  async (seconds) => {
    await using mongod = await startOwnMongod();
    await using app = await startRealApp({ MONGODB_URI: mongod.uri }, faultyEntry({ 'processing:start': 'hold' }));
    const timesHeld = () => app.output().split('Held at processing:start').length - 1;
    const account = await openAccount(app.url, `patient ${process.pid} ${seconds}`);
    const publishing = publishSite(account, 'Outage', hashedSite('before'));
    // Where nothing is ever held it goes on asking an app that is gone.
    publishing.catch(() => undefined);
    await expect.poll(timesHeld).toBe(1);
    app.child.kill('SIGUSR2');
    const site = await publishing;
    const { release } = await startPublish(account, site, hashedSite('after'));
    await expect.poll(timesHeld).toBe(2);
    const visits = startVisiting(async () => (await loadHashedSite(app.sitesPort, `${site.slug}.localhost`)).fault);

    await mongod.kill();
    app.child.kill('SIGUSR2');
    const backAt = performance.now() + seconds * 1_000;
    await expectAway(app.url, '/api/ready', account.token);
    await expectAway(app.url, '/api/user', account.token);
    expect((await fetch(`${app.url}/api/health`)).status).toBe(200);
    await wait(Math.max(0, backAt - performance.now()));
    const visitsWhileAway = visits.count;
    await mongod.restart();
    if (!IS_FULL) await mongod.endLeases();

    const lettingGo = setInterval(() => app.child.kill('SIGUSR2'), LET_GO_EVERY_MS);
    try {
      await expect
        .poll(() => stateOf(account, release.id), { timeout: SETTLED_MS, interval: 500 })
        .toMatch(/^(live|failed|cancelled)$/);
    } finally {
      clearInterval(lettingGo);
      await visits.stop();
    }
    expect(await stateOf(account, release.id)).toBe('live');
    expect(app.child.exitCode).toBeNull();
    expect(visitsWhileAway).toBeGreaterThan(0);
    expect(visits.wrong).toEqual([]);
    expect(await loadHashedSite(app.sitesPort, `${site.slug}.localhost`)).toEqual({ word: 'after', fault: null });
    const { items } = await clientOf(account).releases.list.query({ deploymentId: site.deploymentId });
    expect(items.map(({ number, state }) => [number, state])).toEqual([
      [2, 'live'],
      [1, 'superseded'],
    ]);
  },
);
