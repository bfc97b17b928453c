import { once } from 'node:events';
import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite, startPublish } from '../support/api-account.ts';
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
/** Once it is armed, an error that nobody catches comes of the next release. */
const failing = (kind: 'throw' | 'reject') => [...program('fatal-error-main'), kind, 'processing:start'];

test('an error that nobody caught is logged, only an exception ends the app, and the next start takes its work over', async () => {
  await using mongod = await startOwnMongod();
  await using app = await startRealApp({ MONGODB_URI: mongod.uri }, failing('throw'));
  const account = await openAccount(app.url, 'fatal errors');
  const site = await publishSite(account, 'Fatal errors', { 'index.html': 'first' });
  const arm = async () => {
    app.child.kill('SIGUSR2');
    await expect.poll(() => app.output()).toContain('"Armed"');
  };
  const publish = async (page: string) => (await startPublish(account, site, { 'index.html': page })).release.id;
  const expectTakenOver = async (entry: readonly string[], releaseId: string, page: string) => {
    await mongod.prolongLeases();
    app.entry = entry;
    await app.restart();
    const stateOf = async () => (await clientOf(account).releases.get.query({ releaseId })).state;
    await expect.poll(stateOf, SETTLED).toMatch(/^(live|failed)$/);
    expect(await stateOf()).toBe('live');
    expect((await get(app.sitesPort, `${site.slug}.localhost:${app.sitesPort}`, '/')).text).toBe(page);
  };

  await arm();
  const closed = once(app.child, 'close');
  const second = await publish('second');
  await closed;
  expect(app.child.exitCode).toBe(1);
  expect(app.output()).toMatch(/"message":"An error that nobody caught ends the process","error":"Error: planted/);
  await expectTakenOver(failing('reject'), second, 'second');

  await arm();
  const third = await publish('third');
  await expect
    .poll(() => app.output())
    .toMatch(/"message":"A rejected promise was not handled".*planted.*"kind":"rejection","count":1/);
  expect((await fetch(`${app.url}/api/health`)).status).toBe(200);
  await app.kill();
  await expectTakenOver(['dist/server/main.js'], third, 'third');
});
