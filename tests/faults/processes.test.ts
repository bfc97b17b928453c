import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Account, clientOf, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { holdProcess } from '../support/held-process.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import type { RealApp } from '../support/real-app.ts';
import { type Answer, ask, childAt, childrenOf, NO_ANSWER, startGroup } from '../support/real-group.ts';
import { loopRequests } from '../support/request-loop.ts';
import { IS_FULL } from '../support/size.ts';

const KILLS = IS_FULL ? 20 : 1;
/** Each question is a connection, and what is left of one holds a port of this machine for a minute. */
const CLIENTS = 4;
const ASK_EVERY_MS = 20;
const AT_ONCE = 6;

const visit = (app: RealApp, slug: string): Promise<Answer> => ask(`http://${slug}.localhost:${app.sitesPort}/`);

/** Asks twice a second: calls are limited to 600 a minute. */
async function endOf(account: Account, releaseId: string): Promise<string> {
  for (;;) {
    const { state } = await clientOf(account).releases.get.query({ releaseId });
    if (state === 'live' || state === 'failed') return state;
    await wait(500);
  }
}

test('processes that hang and are killed are started again, nobody waits for them in vain, and a release comes to its end', async () => {
  await using mongod = await startOwnMongod();
  await using app = await startGroup({ MONGODB_URI: mongod.uri });
  const account = await openAccount(app.url, 'survivor');
  const site = await publishSite(account, 'Survivor', { 'index.html': 'first' });
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`page-${n}.html`, `page ${n}`]));
  const { release } = await startPublish(account, site, { ...files, 'index.html': 'second' });

  const over = new AbortController();
  const keep = (question: () => Promise<Answer>) =>
    loopRequests({ everyMs: ASK_EVERY_MS, question, until: over.signal });
  const loads = Array.from({ length: CLIENTS }, () => keep(() => visit(app, site.slug)));
  loads.push(keep(() => ask(`${app.url}/api/ready`)));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const killed = childAt(app, kill % 2);
    await holdProcess(killed);
    // It takes no connection any more: the other one takes those that come now.
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => visit(app, site.slug)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    // What it holds is taken over by the child that takes its place, not by whoever waits for its lease.
    await mongod.prolongLeases();
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => childrenOf(app)).not.toContain(killed);
  }
  over.abort();

  for (const { answered, again, failed } of await Promise.all(loads)) {
    expect(failed, app.output()).toEqual([]);
    expect(again.filter((outcome) => outcome.includes(NO_ANSWER))).toEqual([]);
    expect(answered).toBeGreaterThan(KILLS);
  }
  expect(await endOf(account, release.id)).toBe('live');
  expect((await visit(app, site.slug)).body).toBe('second');
  expect(app.output().match(/Process ended by itself; starting it again/g)).toHaveLength(KILLS);
});
