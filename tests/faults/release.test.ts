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

/** Nothing ends it before it is armed; at the last boundary of a release it waits for a removal as well. */
function killedAt(index: number): readonly string[] {
  const boundary = KILLED_AT[index];
  if (boundary === undefined) return ['dist/server/main.js'];
  if (index < KILLED_AT.length - 1) return faultyEntry({ [boundary]: 'killArmed' });
  return faultyEntry({ [boundary]: 'killArmed:2', [REMOVAL_BOUNDARY]: 'killArmed:2' });
}

async function arm(app: RealApp): Promise<void> {
  app.child.kill('SIGUSR2');
  await expect.poll(() => app.output()).toContain('"Armed"');
}

test('killed at any boundary of a release, it ends live or failed after the restart, and the site is served throughout; one that was killed in its removal is gone', async () => {
  await using mongod = await startOwnMongod();
  await using app = await startRealApp({ MONGODB_URI: mongod.uri }, killedAt(0));
  const account = await openAccount(app.url, 'crash tester');
  const client = clientOf(account);
  const site = await publishSite(account, 'Survivor', { 'index.html': 'release 0', 'style.css': 'p { color: red }' });
  const visit = async () => (await get(app.sitesPort, `${site.slug}.localhost`, '/')).text;
  const removed = await publishSite(account, 'Removed', { 'index.html': 'removed' });
  let serving = 'release 0';

  for (const [index, boundary] of KILLED_AT.entries()) {
    expect(await visit()).toBe(serving);
    await arm(app);
    const next = `release ${index + 1}, killed at ${boundary}`;
    const killed = once(app.child, 'exit');
    const { release } = await startPublish(account, site, { 'index.html': next, 'style.css': 'p { color: red }' });
    if (index === KILLED_AT.length - 1) await client.deployments.remove.mutate({ deploymentId: removed.deploymentId });
    expect(await killed).toEqual([null, 'SIGKILL']);

    // The next start knows that the holder of the release is dead, so nobody waits for its lease.
    await mongod.prolongLeases();
    // It ends what the one before began, and is the one that is killed next.
    app.entry = killedAt(index + 1);
    await app.restart();
    expect([serving, next]).toContain(await visit());
    const stateOf = async () => (await client.releases.get.query({ releaseId: release.id })).state;
    await expect.poll(stateOf, { ...SETTLED, message: `killed at ${boundary}` }).toMatch(/^(live|failed)$/);
    const state = await stateOf();
    if (state === 'live') serving = next;
    await expect.poll(visit).toBe(serving);
    const ended = await client.releases.get.query({ releaseId: release.id });
    expect(ended.steps.every((step) => step.state !== 'running')).toBe(true);
    expect(ended.isCurrent).toBe(state === 'live');
    const deployment = await client.deployments.get.query({ deploymentId: site.deploymentId });
    expect(deployment).toMatchObject({ state: 'live', releaseCount: index + 2 });
  }

  await expect.poll(async () => (await get(app.sitesPort, `${removed.slug}.localhost`, '/')).status, SETTLED).toBe(404);
  const left = async () => (await client.deployments.list.query({})).items.map(({ id }) => id);
  await expect.poll(left, SETTLED).toEqual([site.deploymentId]);
});
