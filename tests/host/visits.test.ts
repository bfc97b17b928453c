import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { OTHER, VisitModel } from '../../server/database/models/analytics/visit.ts';
import { VisitSaltModel } from '../../server/database/models/analytics/visit-salt.ts';
import { createAccessLog } from '../../server/host/access-log.ts';
import { createVisitCount } from '../../server/host/visit-count.ts';
import { openVisitorSet } from '../../server/lib/visitor-set.ts';
import { createTestHost, type Published, publishSite, type TestHost } from '../support/host.ts';
import { withoutDatabase } from '../support/without-database.ts';

const BROWSER = { 'User-Agent': 'Mozilla/5.0 (test)' };

/** Returns the stored rows of one deployment; stopping the host writes the rest. */
async function rowsOf(deploymentId: string) {
  const rows = await VisitModel.find({ deploymentId }).setOptions({ acrossAccounts: 'host' }).sort({ at: 1 }).lean();
  const sum = (pick: (row: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + pick(row), 0);
  return { rows, sum };
}

function routeOf(slug: string, { deploymentId, releaseId, manifestHash }: Published) {
  const own = { slug, accountId: 'a'.repeat(20), deploymentId, releaseId, manifestHash };
  return { ...own, isSinglePage: false, hasCleanUrls: true, reusedNames: [], earlier: [] };
}

async function view(site: TestHost, name: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  return (await site.get(name, path, { headers: { ...BROWSER, ...headers } })).status;
}

test('answers are counted by page, status, referrer and visitor, and nothing says who it was', async () => {
  await using site = await createTestHost();
  const { deploymentId } = await publishSite(site, 'counted', {
    'index.html': 'HOME',
    'a.html': 'A',
    'style.css': 'css',
  });
  await view(site, 'counted', '/', { Referer: 'https://search.example/?q=private' });
  await view(site, 'counted', '/a', { Referer: 'http://counted.localhost/' });
  await view(site, 'counted', '/a.html', { 'User-Agent': 'Other browser' });
  await view(site, 'counted', '/style.css');
  await view(site, 'counted', '/absent');
  await view(site, 'counted', '/', { 'Sec-Purpose': 'prefetch' });
  await view(site, 'counted', '/', { 'Sec-Fetch-Dest': 'iframe' });
  await site.get('counted', '/', { headers: { 'User-Agent': 'Head' }, method: 'HEAD' });
  // For somebody behind a proxy; and the next as our own verification asks.
  await site.get('counted', '/', { headers: { 'X-Forwarded-For': '192.0.2.1' } });
  await site.get('counted', '/');
  await site.get('counted', '/no-such-page');
  await site.get('r1--counted', '/', { headers: BROWSER });
  await site.host.stop();

  const { rows, sum } = await rowsOf(deploymentId);
  expect(sum((row) => row.requests)).toBe(9);
  expect(sum((row) => row.views)).toBe(3);
  expect(sum((row) => row.bytes)).toBeGreaterThan(4 + 1 + 1 + 3 + 4 + 4);
  expect(sum((row) => row.replies.reduce((all, count) => all + count, 0))).toBe(9);
  const pages = rows.flatMap((row) => row.pages).map(({ path }) => path);
  expect([...new Set(pages)].sort()).toEqual(['/', '/a', '/a.html']);
  expect(rows.flatMap((row) => row.referrers).map(({ host }) => host)).toEqual(['search.example']);
  expect(
    rows.flatMap((row) => row.statuses).reduce((all, one) => all + (one.status === 404 ? (one.requests ?? 0) : 0), 0),
  ).toBe(1);
  expect(new Set(rows.flatMap((row) => row.visitors)).size).toBe(2);
  const stored = JSON.stringify(rows);
  for (const known of ['127.0.0.1', 'Mozilla', 'private']) expect(stored).not.toContain(known);
});

test('while the disk of the database has no room, visits are not counted', async () => {
  await using site = await createTestHost({ providers: { databaseSpace: { freeBytes: async () => 0 } } });
  const { deploymentId } = await publishSite(site, 'roomless', { 'index.html': 'x' });
  expect(await view(site, 'roomless', '/')).toBe(200);
  await site.host.stop();
  expect((await rowsOf(deploymentId)).rows).toEqual([]);
});

test('a visitor is one visitor for every process of a day, and another one the next day and on another site', async () => {
  let shiftMs = 0;
  const now = () => new Date(Date.UTC(2031, 0, 15, 12) + shiftMs);
  await using site = await createTestHost({ providers: { now } });
  const one = await publishSite(site, 'daily', { 'index.html': 'x' });
  const other = await publishSite(site, 'other-site', { 'index.html': 'x' });
  await view(site, 'daily', '/');
  await site.restart();
  await view(site, 'daily', '/');
  await site.get('other-site', '/', { headers: BROWSER });
  await site.restart();
  shiftMs = 24 * 60 * 60_000;
  await view(site, 'daily', '/');
  await site.host.stop();
  const { rows } = await rowsOf(one.deploymentId);
  const visitors = rows.flatMap((row) => row.visitors);
  expect([visitors.length, new Set(visitors).size]).toEqual([3, 2]);
  expect(visitors).not.toContain((await rowsOf(other.deploymentId)).rows[0]?.visitors[0]);
  const salts = await VisitSaltModel.find({ _id: { $in: ['2031-01-15', '2031-01-16'] } }).lean();
  expect(new Set(salts.map(({ salt }) => salt)).size).toBe(2);
});

test('behind a trusted proxy visitors are told apart by what the proxy says', async () => {
  await using site = await createTestHost();
  const { deploymentId } = await publishSite(site, 'proxied', { 'index.html': 'x' });
  await view(site, 'proxied', '/', { 'X-Forwarded-For': '192.0.2.1' });
  await view(site, 'proxied', '/', { 'X-Forwarded-For': '192.0.2.2' });
  await site.restart({ addresses: { ...site.providers.addresses, trustedProxies: 1 } });
  expect(new Set((await rowsOf(deploymentId)).rows.flatMap((row) => row.visitors)).size).toBe(1);
  for (const address of ['192.0.2.1', '192.0.2.2', 'claimed, 192.0.2.2'])
    await view(site, 'proxied', '/', { 'X-Forwarded-For': address });
  await site.host.stop();
  expect(new Set((await rowsOf(deploymentId)).rows.flatMap((row) => row.visitors)).size).toBe(3);
});

test('all addresses of one /64 are one visitor, who keeps nobody else from being counted', () => {
  const count = createVisitCount({ accountId: 'a', deploymentId: 'd' }, new Date());
  const view = (peer: string): void =>
    count.add({
      accountId: 'a',
      deploymentId: 'd',
      path: 'index.html',
      status: 200,
      bytes: 1,
      durationMs: 1,
      isView: true,
      isBot: false,
      peer,
      trustedProxies: 0,
      headers: { 'user-agent': 'test' },
    });
  for (let n = 0; n < 6_000; n += 1) view(`2001:db8:1:2:${n.toString(16)}::1`);
  for (const peer of ['2001:db8:1:3::1', '::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.2']) view(peer);
  const row = count.toRow('salt');
  expect([row.views, row.visitors.length]).toEqual([6_004, 4]);
});

test('a crowd of visitors makes a row of a fixed size', () => {
  const count = createVisitCount({ accountId: 'a', deploymentId: 'd' }, new Date());
  const visit = { accountId: 'a', deploymentId: 'd', status: 200, bytes: 1, durationMs: 1, isView: true, isBot: false };
  for (let n = 0; n < 5_000; n += 1) {
    const headers = { 'user-agent': `browser ${n}` };
    count.add({ ...visit, path: 'index.html', peer: '192.0.2.1', trustedProxies: 0, headers });
  }
  const row = count.toRow('salt');
  expect(mongoose.mongo.BSON.calculateObjectSize(row)).toBeLessThan(7_000);
  expect(openVisitorSet(null).add(row.visitors)).toSatisfy((visitors) => Math.abs(visitors - 5_000) < 250);
});

test('rows that wait, and sums that are not written yet, weigh their visitors', async () => {
  let at = Date.UTC(2031, 0, 15, 12);
  await using site = await createTestHost({ providers: { now: () => new Date(at) } });
  const published = await publishSite(site, 'crowded', { 'index.html': 'x' });
  const visits = createAccessLog(site.providers, { waiting: { bytesMax: 80_000 } });
  const route = routeOf('crowded', published);
  const crowd = (visitors: number): void => {
    for (let n = 0; n < visitors; n += 1) {
      const request = {
        headers: { 'user-agent': `browser ${n}` },
        method: 'GET',
        socket: { remoteAddress: '192.0.2.1' },
      };
      const path = { file: '', raw: '', query: '' };
      visits.note({ route, request, path, startedAt: performance.now() }, 200, 1, true, 0);
    }
    at += 60_000;
  };
  await withoutDatabase(async () => {
    // About 30,000 bytes a row, so that two of three wait.
    for (let minute = 0; minute < 3; minute += 1) {
      crowd(384);
      await visits.flush();
    }
  });
  await visits.flush();
  const visitors = async () => (await rowsOf(published.deploymentId)).rows.map((row) => row.visitors.length);
  expect(await visitors()).toEqual([384, 384]);
  // Sums of so many are more than may be kept at all: they begin again.
  crowd(2_048);
  await visits.flush();
  expect((await visitors()).slice(2).reduce((sum, count) => sum + count, 0)).toBeLessThan(1_300);
  const lost = site.lines.filter((line) => line.message.includes('not counted'));
  expect(lost.length).toBeGreaterThanOrEqual(2);
});

test('while the database is away rows wait, the oldest go first, and none is counted twice', async () => {
  await using site = await createTestHost();
  const visits = createAccessLog(site.providers, { waiting: { rowsMax: 3 } });
  const published = await publishSite(site, 'waiting', { 'index.html': 'x' });
  const route = routeOf('waiting', published);
  const request = { headers: { 'user-agent': 'test' }, method: 'GET', socket: { remoteAddress: '192.0.2.1' } };
  const note = (path: string): void =>
    visits.note(
      { route, request, path: { file: path, raw: path, query: '' }, startedAt: performance.now() },
      200,
      1,
      true,
      0,
    );
  await withoutDatabase(async () => {
    for (const path of ['first', 'second', 'third', 'fourth', 'fifth']) {
      note(path);
      await visits.flush();
    }
  });
  await visits.flush();
  await visits.flush();
  const { rows } = await rowsOf(published.deploymentId);
  expect(
    rows
      .flatMap((row) => row.pages)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['/fifth', '/fourth', '/third']);
  const lost = site.lines.filter((line) => line.message.includes('not counted'));
  expect(lost.map((line) => line.fields.rows)).toEqual([1, 1]);
});

test('programs are counted apart, and our own look at a release not at all', async () => {
  await using site = await createTestHost();
  const { deploymentId } = await publishSite(site, 'crawled', { 'index.html': 'x' });
  const names = [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'curl/8.5.0',
    'python-requests/2.32',
    'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0 Safari/537.36',
  ];
  for (const name of names) await view(site, 'crawled', '/', { 'User-Agent': name });
  await view(site, 'crawled', '/', {
    'User-Agent': 'Mozilla/5.0 (Linux; Android 14; CUBOT P80) Chrome/130 Safari/537.36',
  });
  await view(site, 'crawled', '/', { 'User-Agent': 'Fairlead' });
  await site.host.stop();
  const { rows, sum } = await rowsOf(deploymentId);
  const total = { requests: sum((row) => row.requests), views: sum((row) => row.views), bots: sum((row) => row.bots) };
  expect(total).toEqual({ requests: 5, views: 1, bots: 4 });
  expect(new Set(rows.flatMap((row) => row.visitors)).size).toBe(1);
});

test('very many paths and headers of 8 KB are counted within bounds, and none of them is kept whole', async () => {
  await using site = await createTestHost();
  const { deploymentId } = await publishSite(site, 'flooded', { 'index.html': 'x', '404.html': 'none' });
  const long = 'é'.repeat(3_900);
  for (const headers of [
    { 'User-Agent': Buffer.from(long).toString('latin1') },
    { Referer: `https://${'a'.repeat(8_000)}.test/` },
    { Referer: `https://long.test/${'a'.repeat(7_900)}` },
    { Referer: 'javascript:alert(1)' },
    { Referer: 'https://[::1' },
    { 'X-Forwarded-For': '1, '.repeat(2_600) },
  ]) {
    expect(await view(site, 'flooded', '/', headers)).toBe(200);
  }
  await view(site, 'flooded', `/${'%F0%9F%98%80'.repeat(600)}`);
  await site.host.stop();
  const { rows, sum } = await rowsOf(deploymentId);
  expect([sum((row) => row.views), sum((row) => row.requests)]).toEqual([6, 7]);
  expect(JSON.stringify(rows).length).toBeLessThan(3_000);

  const count = createVisitCount({ accountId: 'a', deploymentId: 'd' }, new Date());
  const visit = { accountId: 'a', deploymentId: 'd', status: 200, bytes: 1, durationMs: 1, isView: true, isBot: false };
  for (let n = 0; n < 10_000; n += 1) {
    const headers = { 'user-agent': 'test', host: 'own.test', referer: n % 50 === 0 ? `https://from-${n}.test/` : '' };
    count.add({ ...visit, path: `page-${n}`, peer: '192.0.2.1', trustedProxies: 0, headers });
  }
  const row = count.toRow('salt');
  expect([row.views, row.pages.length, row.referrers.length]).toEqual([10_000, 101, 51]);
  expect(row.pages.find(({ path }) => path === OTHER)?.views).toBe(9_900);
  expect(row.referrers.find(({ host }) => host === OTHER)?.views).toBe(150);
  expect(count.weightBytes).toBeLessThan(30_000);
});

test('the salt of a day is destroyed a few minutes after it', async () => {
  let at = Date.UTC(2031, 1, 15, 12);
  await using site = await createTestHost({ providers: { now: () => new Date(at) } });
  const { deploymentId } = await publishSite(site, 'salted', { 'index.html': 'x' });
  await view(site, 'salted', '/');
  await site.restart();
  const [salt] = await VisitSaltModel.find({ _id: '2031-02-15' }).lean();
  expect(salt?.expiresAt).toEqual(new Date(Date.UTC(2031, 1, 16, 0, 5)));
  // As the database does once it has expired.
  await VisitSaltModel.deleteOne({ _id: '2031-02-15' });
  at = Date.UTC(2031, 1, 16, 12);
  await view(site, 'salted', '/');
  await site.host.stop();
  expect(new Set((await rowsOf(deploymentId)).rows.flatMap((row) => row.visitors)).size).toBe(2);
  expect(await VisitSaltModel.exists({ _id: '2031-02-15' })).toBeNull();
});
