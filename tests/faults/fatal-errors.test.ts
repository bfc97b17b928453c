import { once } from 'node:events';
import { expect, test } from 'vitest';
import { clientOf, type LiveSite, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { get } from '../support/get.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { program } from '../support/program.ts';
import { startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';

/**
 * Within 90 s of the restart nothing is left running that nobody works on. Asks twice a second: calls are limited to 600 a
 * minute.
 */
const SETTLED = { timeout: IS_FULL ? 90_000 : 30_000, interval: 500 };

test('an error that nobody caught is logged, only an exception ends the app, and the next start takes its work over', async () => {
  await using mongod = await startOwnMongod();
  const entry = [...program('fatal-error-main'), 'processing:start'];
  await using app = await startRealApp({ MONGODB_URI: mongod.uri }, entry);
  const account = await openAccount(app.url, 'fatal errors');
  const publishFirst = (name: string) => publishSite(account, name, { 'index.html': 'first' });
  const [one, two] = [await publishFirst('One'), await publishFirst('Two')];
  /** From then on such an error comes of the next release. */
  const arm = async (kind: 'reject' | 'throw') => {
    app.child.kill('SIGUSR2');
    await expect.poll(() => app.output()).toContain(`"Armed: ${kind}"`);
  };
  const publishNext = async (site: LiveSite) =>
    (await startPublish(account, site, { 'index.html': 'next' })).release.id;

  await arm('reject');
  const rejected = await publishNext(one);
  await expect
    .poll(() => app.output())
    .toMatch(/"message":"A rejected promise was not handled".*planted.*"kind":"rejection","count":1/);
  expect((await fetch(`${app.url}/api/health`)).status).toBe(200);

  await arm('throw');
  const closed = once(app.child, 'close');
  const thrown = await publishNext(two);
  await closed;
  expect(app.child.exitCode).toBe(1);
  expect(app.output()).toMatch(/"message":"An error that nobody caught ends the process","error":"Error: planted/);

  await mongod.prolongLeases();
  app.entry = ['dist/server/main.js'];
  await app.restart();
  for (const [{ slug }, releaseId] of [[one, rejected] as const, [two, thrown] as const]) {
    const stateOf = async () => (await clientOf(account).releases.get.query({ releaseId })).state;
    await expect.poll(stateOf, SETTLED).toMatch(/^(live|failed)$/);
    expect(await stateOf()).toBe('live');
    expect((await get(app.sitesPort, `${slug}.localhost:${app.sitesPort}`, '/')).text).toBe('next');
  }
});
