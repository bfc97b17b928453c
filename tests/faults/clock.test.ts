import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite, releaseEnd, startPublish } from '../support/api-account.ts';
import { startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';
import { hashedSite, loadHashedSite } from '../support/visitor.ts';

const HOUR_MS = 3_600_000;
/** The full run jumps in both directions, by an hour (daylight saving) and by a day. */
const HOURS = IS_FULL ? [1, -1, 24, -24] : [24];
/** Half of the smallest jump: on a busy machine this test takes its time. */
const NEAR_MS = HOUR_MS / 2;
const SHIFTED = ['--import', './tests/support/shifted-clock.mjs', 'dist/server/main.js'];

test.each(HOURS)(
  'a clock that jumps by %i h while sites are published moves no plan, no session and no date',
  async (hours) => {
    const clock = { CLOCK_SHIFT_MS: String(hours * HOUR_MS), CLOCK_SHIFT_AT: 'signal' };
    await using app = await startRealApp(clock, SHIFTED);
    const account = await openAccount(app.url, `punctual ${process.pid} ${hours}`);
    const client = clientOf(account);
    const site = await publishSite(account, 'Punctual', hashedSite('before'));
    const plan = await client.subscription.get.query();

    const { release } = await startPublish(account, site, hashedSite('after'));
    app.child.kill('SIGUSR2');
    await expect.poll(() => app.output()).toContain('The clock has jumped');

    // A day later the access token of a quarter of an hour would be over.
    expect(await releaseEnd(account, release.id)).toBe('live');
    expect(await client.subscription.get.query()).toEqual(plan);
    expect(await loadHashedSite(app.sitesPort, `${site.slug}.localhost`)).toEqual({ word: 'after', fault: null });
    const third = await startPublish(account, site, hashedSite('later'));
    expect(await releaseEnd(account, third.release.id)).toBe('live');

    const { createdAt, finishedAt } = await client.releases.get.query({ releaseId: third.release.id });
    const login = await fetch(`${app.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: account.username, password: account.password }),
    });
    const { expiresAt }: { expiresAt: string } = await login.json();
    for (const at of [createdAt, finishedAt, expiresAt])
      expect(Math.abs(new Date(at ?? 0).getTime() - Date.now())).toBeLessThan(NEAR_MS);
    expect(
      (await client.releases.list.query({ deploymentId: site.deploymentId })).items.map(({ number }) => number),
    ).toEqual([3, 2, 1]);
  },
);
