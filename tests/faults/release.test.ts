import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Account, clientOf, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { RELEASE_BOUNDARIES, REMOVAL_BOUNDARY } from '../support/boundaries.ts';
import { get } from '../support/host.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { faultyEntry, startRealApp } from '../support/real-app.ts';

/** The ordinary run is killed at these three. */
const ORDINARY = ['verifying:switched', 'uploading:end', 'preparing:start'];
/** The built-in host has no site to name: tests/platforms/faults.test.ts ends a process there. */
const ELSEWHERE = 'publishing:site';
const OTHERS = RELEASE_BOUNDARIES.filter((name) => name !== ELSEWHERE && !ORDINARY.includes(name));
const KILLED_AT = process.env.FAIRLEAD_FULL_COUNTS === '1' ? [...ORDINARY, ...OTHERS] : ORDINARY;

/** Within 90 s of the restart nothing is left running that nobody works on. */
const SETTLED_MS = 90_000;

/** Asks four times a second: calls are limited to 600 a minute. */
async function endOf(account: Account, releaseId: string): Promise<string> {
  for (;;) {
    const { state } = await clientOf(account).releases.get.query({ releaseId });
    if (['live', 'failed', 'cancelled', 'superseded'].includes(state)) return state;
    await wait(250);
  }
}

test('killed at any boundary of a release, it ends live or failed after the restart, and the site is served throughout; killed in its removal, it is gone', {
  timeout: 900_000,
}, async () => {
  await using mongod = await startOwnMongod();
  await using app = await startRealApp({ MONGODB_URI: mongod.uri });
  const account = await openAccount(app.url, 'crash tester');
  const site = await publishSite(account, 'Survivor', { 'index.html': 'release 0', 'style.css': 'p { color: red }' });
  const visit = async () => (await get(app.sitesPort, `${site.slug}.localhost`, '/')).text;
  let serving = 'release 0';

  for (const [index, boundary] of KILLED_AT.entries()) {
    await app.kill();
    app.entry = faultyEntry({ [boundary]: 'kill' });
    await app.restart();
    expect(await visit()).toBe(serving);

    const next = `release ${index + 1}, killed at ${boundary}`;
    const killed = once(app.child, 'exit');
    const { release } = await startPublish(account, site, { 'index.html': next, 'style.css': 'p { color: red }' });
    expect(await killed).toEqual([null, 'SIGKILL']);

    // The next start knows that whoever held the release is dead: nobody waits for its lease.
    await mongod.prolongLeases();
    app.entry = ['dist/server/main.js'];
    await app.restart();
    expect([serving, next]).toContain(await visit());
    const restartedAt = Date.now();
    const state = await endOf(account, release.id);
    expect(Date.now() - restartedAt).toBeLessThan(SETTLED_MS);
    expect(['live', 'failed'], `killed at ${boundary}`).toContain(state);
    if (state === 'live') serving = next;
    await expect.poll(visit).toBe(serving);
    const ended = await clientOf(account).releases.get.query({ releaseId: release.id });
    expect(ended.steps.every((step) => step.state !== 'running')).toBe(true);
    expect(ended.isCurrent).toBe(state === 'live');
    const deployment = await clientOf(account).deployments.get.query({ deploymentId: site.deploymentId });
    expect(deployment).toMatchObject({ state: 'live', releaseCount: index + 2 });
  }

  await app.kill();
  app.entry = faultyEntry({ [REMOVAL_BOUNDARY]: 'kill' });
  await app.restart();
  const killed = once(app.child, 'exit');
  const { deploymentId } = site;
  await clientOf(account).deployments.remove.mutate({ deploymentId });
  expect(await killed).toEqual([null, 'SIGKILL']);
  await mongod.prolongLeases();
  app.entry = ['dist/server/main.js'];
  await app.restart();
  await expect
    .poll(async () => (await get(app.sitesPort, `${site.slug}.localhost`, '/')).status, { timeout: SETTLED_MS })
    .toBe(404);
  await expect
    .poll(async () => (await clientOf(account).deployments.list.query({})).items, { timeout: SETTLED_MS })
    .toEqual([]);
});
