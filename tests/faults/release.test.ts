import { once } from 'node:events';
import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { RELEASE_BOUNDARIES, REMOVAL_BOUNDARY } from '../support/boundaries.ts';
import { get } from '../support/get.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { faultyEntry, type RealApp, startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';

/** The middle of the switch, where most could be left undone. */
const WORST = 'verifying:switched';
/** The built-in host has no site to name: tests/platforms/faults.gate.test.ts ends a process there. */
const ELSEWHERE = 'publishing:site';
const KILLED_AT = IS_FULL ? RELEASE_BOUNDARIES.filter((name) => name !== ELSEWHERE) : [WORST];

/**
 * Within 90 s of the restart nothing is left running that nobody works on. Asks four times a second: calls are limited to
 * 600 a minute.
 */
const SETTLED = { timeout: IS_FULL ? 90_000 : 30_000, interval: 250 };

/** Nothing ends it before it is armed. */
const killedAt = (boundary: string): readonly string[] => faultyEntry({ [boundary]: 'killArmed' });

async function arm(app: RealApp): Promise<void> {
  app.child.kill('SIGUSR2');
  await expect.poll(() => app.output()).toContain('"Armed"');
}

test('killed at any boundary of a release, it ends live or failed after the restart, and the site is served throughout; killed in its removal, it is gone', async () => {
  await using mongod = await startOwnMongod();
  await using app = await startRealApp({ MONGODB_URI: mongod.uri }, killedAt(KILLED_AT[0] ?? WORST));
  const account = await openAccount(app.url, 'crash tester');
  const site = await publishSite(account, 'Survivor', { 'index.html': 'release 0', 'style.css': 'p { color: red }' });
  const visit = async () => (await get(app.sitesPort, `${site.slug}.localhost`, '/')).text;
  let serving = 'release 0';

  for (const [index, boundary] of KILLED_AT.entries()) {
    expect(await visit()).toBe(serving);
    await arm(app);
    const next = `release ${index + 1}, killed at ${boundary}`;
    const killed = once(app.child, 'exit');
    const { release } = await startPublish(account, site, { 'index.html': next, 'style.css': 'p { color: red }' });
    expect(await killed).toEqual([null, 'SIGKILL']);

    // The next start knows that the holder of the release is dead, so nobody waits for its lease.
    await mongod.prolongLeases();
    // It ends what the one before began, and is the one that is killed next.
    app.entry = killedAt(KILLED_AT[index + 1] ?? REMOVAL_BOUNDARY);
    await app.restart();
    expect([serving, next]).toContain(await visit());
    const stateOf = async () => (await clientOf(account).releases.get.query({ releaseId: release.id })).state;
    await expect.poll(stateOf, { ...SETTLED, message: `killed at ${boundary}` }).toMatch(/^(live|failed)$/);
    const state = await stateOf();
    if (state === 'live') serving = next;
    await expect.poll(visit).toBe(serving);
    const ended = await clientOf(account).releases.get.query({ releaseId: release.id });
    expect(ended.steps.every((step) => step.state !== 'running')).toBe(true);
    expect(ended.isCurrent).toBe(state === 'live');
    const deployment = await clientOf(account).deployments.get.query({ deploymentId: site.deploymentId });
    expect(deployment).toMatchObject({ state: 'live', releaseCount: index + 2 });
  }

  await arm(app);
  const killed = once(app.child, 'exit');
  const { deploymentId } = site;
  await clientOf(account).deployments.remove.mutate({ deploymentId });
  expect(await killed).toEqual([null, 'SIGKILL']);
  await mongod.prolongLeases();
  app.entry = ['dist/server/main.js'];
  await app.restart();
  await expect.poll(async () => (await get(app.sitesPort, `${site.slug}.localhost`, '/')).status, SETTLED).toBe(404);
  await expect.poll(async () => (await clientOf(account).deployments.list.query({})).items, SETTLED).toEqual([]);
});
