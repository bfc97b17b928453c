import { expect, test } from 'vitest';
import { rssBytes } from '../bench/harness.ts';
import { openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { type EventClient, followEvents } from '../support/event-client.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';
import { hashedSite, loadHashedSite, startVisiting } from '../support/visitor.ts';

/**
 * An account may publish so many in an hour. The gate has visitors as well where releases are killed and where the
 * database is away.
 */
const RELEASES = 200;
const VISITORS = 2;
const MIB = 1024 * 1024;
/** The memory that the second half of so many releases may add: a leak of 1 MB a release would add 100. */
const GROWTH_MAX_MIB = 48;

const COLLECTED = ['--expose-gc', '--import', './tests/support/collect-on-signal.mjs', 'dist/server/main.js'];
const countCollections = (app: RealApp): number => app.output().split('Collected\n').length - 1;

/** Memory that the process holds when its garbage is gone, in MiB; null where only the process itself knows. */
async function rssMib(app: RealApp): Promise<number | null> {
  const before = countCollections(app);
  app.child.kill('SIGUSR2');
  await expect.poll(() => countCollections(app)).toBeGreaterThan(before);
  const bytes = rssBytes(app.child.pid ?? 0);
  return bytes === null ? null : Math.round(bytes / MIB);
}

/** Returns how the release ended, by its event. */
async function endOf(events: EventClient, releaseId: string): Promise<string> {
  const find = () =>
    events.seen.flatMap(({ data }) =>
      data.type === 'deployment_status' && data.releaseId === releaseId ? [data.status] : [],
    );
  await events.until(() => find().length > 0);
  return find().join();
}

test(`whoever loads a site again and again during ${RELEASES} releases sees no mixture and no error`, async () => {
  await using app = await startRealApp({}, COLLECTED);
  const account = await openAccount(app.url, `busy ${process.pid}`);
  const site = await publishSite(account, 'Busy', hashedSite('release 1'));
  const host = `${site.slug}.localhost`;
  await using events = followEvents({ url: app.url, origin: app.url, token: account.token });
  await events.until(() => events.seen.length > 0);
  const words = new Set<string>();
  const visitors = Array.from({ length: VISITORS }, () =>
    startVisiting(async () => {
      const { word, fault } = await loadHashedSite(app.sitesPort, host);
      words.add(word);
      return fault;
    }),
  );

  const rss = [await rssMib(app)];
  for (let number = 2; number <= RELEASES; number += 1) {
    const { release } = await startPublish(account, site, hashedSite(`release ${number}`));
    expect(await endOf(events, release.id)).toBe('success');
    if (number === RELEASES / 2 || number === RELEASES) rss.push(await rssMib(app));
  }
  for (const visitor of visitors) await visitor.stop();

  expect(visitors.flatMap(({ wrong }) => wrong)).toEqual([]);
  const visits = visitors.reduce((sum, { count }) => sum + count, 0);
  expect(visits).toBeGreaterThan(RELEASES);
  expect(words.size).toBeGreaterThan(RELEASES / 4);
  expect(await loadHashedSite(app.sitesPort, host)).toEqual({ word: `release ${RELEASES}`, fault: null });
  const [begin = null, middle = null, end = null] = rss;
  console.log(
    `${RELEASES} releases under ${visits} visits; memory of the process ${begin ?? 'unknown'} MiB at first, ${middle ?? 'unknown'} MiB in the middle, ${end ?? 'unknown'} MiB at the end`,
  );
  // Only Linux tells the memory of another process; there it has to be known.
  if (process.platform === 'linux') expect(rss).not.toContain(null);
  if (middle !== null && end !== null) expect(end - middle).toBeLessThan(GROWTH_MAX_MIB);
});
