import { once } from 'node:events';
import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';
import { loopRequests } from '../support/request-loop.ts';
import { makeSharedFixtures } from '../support/shared-fixtures.ts';
import { type Answer, ask } from '../support/supervised-app.ts';

/** Calls of one token are limited to 600 a minute. */
const CALL_EVERY_MS = 300;
const VISIT_EVERY_MS = 25;

test('of two instances on one database both are restarted in turn, and no request fails that is made again once', async () => {
  await using fixtures = await makeSharedFixtures();
  await using one = await startRealApp(fixtures.env);
  await using other = await startRealApp(fixtures.env);
  const apps = [one, other] as const;
  const account = await openAccount(one.url, 'rolling');
  const { secret } = await clientOf(account).tokens.create.mutate({
    name: 'load',
    scopes: ['read', 'write'],
    currentPassword: account.password,
  });
  const { slug } = await publishSite(account, 'Rolling', { 'index.html': 'always here' });
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
  const ownHeaders = { ...headers, Authorization: `Bearer ${account.token}` };
  const body = JSON.stringify({ json: { releaseFailed: true, releaseLive: true } });
  const over = new AbortController();
  const visit = (app: RealApp) => ask(`http://${slug}.localhost:${app.sitesPort}/`);
  const read = (app: RealApp) =>
    ask(`${app.url}/api/trpc/deployments.list?input=%7B%22json%22%3A%7B%7D%7D`, { headers });
  const write = (app: RealApp) =>
    ask(`${app.url}/api/trpc/user.updateNotifications`, { method: 'POST', headers: ownHeaders, body });
  // The other instance hears of the site by the change stream.
  for (const app of apps) await expect.poll(async () => (await visit(app)).body).toBe('always here');

  // To the instances in turn; what one does not answer is asked of the other.
  const keep = (everyMs: number, question: (app: RealApp) => Promise<Answer>) =>
    loopRequests({
      everyMs,
      question: (turn, attempt) => question((turn + attempt) % 2 === 0 ? one : other),
      until: over.signal,
    });
  const loads = [keep(VISIT_EVERY_MS, visit), keep(CALL_EVERY_MS, read), keep(CALL_EVERY_MS, write)];
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
    expect(load.again.length).toBeGreaterThan(0);
    expect(load.answered).toBeGreaterThan(load.again.length);
  }
});
