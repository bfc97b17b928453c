import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Account, clientOf, openAccount, publishSite, startPublish } from '../support/doors.ts';
import type { RealApp } from '../support/real-app.ts';
import { type Answer, ask, childrenOf, startGroup } from '../support/real-group.ts';

const visit = (app: RealApp, slug: string): Promise<Answer> => ask(`http://${slug}.localhost:${app.sitesPort}/`);

/** A client that tries again once. */
async function twice(question: () => Promise<Answer>): Promise<number> {
  const isAnswered = ({ status }: Answer): boolean => status < 500;
  const first = await question().catch(() => null);
  if (first !== null && isAnswered(first)) return first.status;
  return (await question()).status;
}

/** Asks twice a second: a lease takes 30 s to run out, and calls are limited to 600 a minute. */
async function endOf(account: Account, releaseId: string): Promise<string> {
  for (;;) {
    const { state } = await clientOf(account).releases.get.query({ releaseId });
    if (state === 'live' || state === 'failed') return state;
    await wait(500);
  }
}

test('a process that is killed is started again while the other goes on, and a release comes to its end', async () => {
  await using app = await startGroup({});
  const account = await openAccount(app.url, 'survivor');
  const site = await publishSite(account, 'Survivor', { 'index.html': 'first' });
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`page-${n}.html`, `page ${n}`]));
  const { release } = await startPublish(account, site, { ...files, 'index.html': 'second' });

  const statuses = new Set<number>();
  for (const killed of childrenOf(app)) {
    process.kill(killed, 'SIGKILL');
    while (childrenOf(app).includes(killed)) {
      statuses.add(await twice(() => visit(app, site.slug)));
      statuses.add(await twice(() => ask(`${app.url}/api/ready`)));
    }
  }

  expect([...statuses], app.output()).toEqual([200]);
  expect(await endOf(account, release.id)).toBe('live');
  expect((await visit(app, site.slug)).body).toBe('second');
  expect(app.output().match(/Process ended by itself; starting it again/g)).toHaveLength(2);
});
