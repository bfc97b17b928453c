import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { SERVING_DEFAULTS } from '../../routers/schemas/deployments.ts';
import type { Change } from '../../server/database/change-feed.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { newId } from '../../server/database/mongo.ts';
import { readRoutes } from '../../server/host/routing/read-routes.ts';
import { createRouteReader, type RouteReader } from '../../server/host/routing/route-reader.ts';
import { createRouteTable } from '../../server/host/routing/route-table.ts';
import { createRoutes } from '../../server/host/routing/routes.ts';
import { createSiteList } from '../../server/host/routing/site-list.ts';
import { addRelease, createTestHost, makeLive, publishSite, shareHost } from '../support/host.ts';
import { IS_FULL } from '../support/size.ts';

const ACROSS = { acrossAccounts: 'host' } as const;
const release = (word: string) => ({
  'index.html': `<script src="/app-${word}.js"></script>${word}`,
  'style.css': word,
  'data.json': word,
});

const theHost = shareHost();

test('a first release is served at once, although nobody told the host', async () => {
  const site = await theHost();
  expect((await site.get('fresh', '/')).status).toBe(404);
  const first = await addRelease(site, 'fresh', release('one'), 'live');
  await makeLive(first);
  expect((await site.get('fresh', '/style.css')).text).toBe('one');
});

test('a live site that nobody visits is not in memory: its route is read when somebody asks', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  await publishSite(site, 'quiet', release('one'));
  const { providers, folder: dataDir } = site;
  const table = createRouteTable({ providers, dataDir, warm: async () => undefined });
  await table.start();
  try {
    const name = 'quiet.localhost';
    expect(table.known(name)).toBeUndefined();
    await publishSite(site, 'quiet', release('two'));
    await table.refresh();
    expect(table.known(name)).toBeUndefined();
    const found = await table.find(name, 'a visitor');
    expect(found).toMatchObject({ slug: 'quiet' });
    expect(table.known(name)).toBe(found);
  } finally {
    await table.stop();
  }
});

test('a reading that fails for one visitor leaves what another has asked for', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const { deploymentId } = await publishSite(site, 'asked-twice', release('one'));
  const { log } = site.providers;
  const routes = createRoutes({ now: () => Date.now(), hostOf: ({ slug }) => slug });
  const list = createSiteList(site.folder, log);
  let second: Promise<void> | undefined;
  const reader: RouteReader = createRouteReader(log, {
    routes,
    list,
    warm: async () => undefined,
    now() {
      if (second !== undefined) return new Date();
      second = reader.bring(deploymentId);
      throw new Error('the database is away');
    },
  });
  await reader.bring(deploymentId);
  await second;
  reader.stop();
  expect(routes.byHost('asked-twice')).toMatchObject({ deploymentId });
});

test('the change feed alone moves a name to its new release, and takes it away', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const first = await publishSite(site, 'fed', release('one'));
  expect((await site.get('fed', '/style.css')).text).toBe('one');
  await publishSite(site, 'fed', release('two'));
  await expect.poll(async () => (await site.get('fed', '/style.css')).text).toBe('two');
  await makeLive(first);
  await expect.poll(async () => (await site.get('fed', '/style.css')).text).toBe('one');
  await DeploymentModel.updateOne({ _id: first.deploymentId }, { $set: { state: 'deleting' } }).setOptions(ACROSS);
  await expect.poll(async () => (await site.get('fed', '/style.css')).status).toBe(404);
  expect((await site.get('r1--fed', '/style.css')).status).toBe(404);
});

const hostWithFeed = shareHost({}, { changes: 'feed' });

test.each<[string, Record<string, unknown>, number]>([
  ['a release that begins', { $set: { state: 'deploying', latestReleaseId: newId(), releaseCount: 7 } }, 0],
  ['what a place is doing', { $set: { 'destinations.0.state': 'publishing', updatedAt: new Date() } }, 0],
  ['a release that ended', { $set: { state: 'failed' } }, 0],
  ['the switch', { $set: { currentReleaseId: newId() } }, 1],
  ['the release that a place has', { $set: { 'destinations.0.releaseId': newId() } }, 1],
  ['another platform', { $set: { 'destinations.0.platform': 'netlify' } }, 1],
  ['a place less', { $pop: { destinations: 1 } }, 1],
  ['one name more that is used again', { $push: { reusedNames: 'app-1.js' } }, 1],
  ['clean addresses', { $set: { hasCleanUrls: !SERVING_DEFAULTS.hasCleanUrls } }, 1],
  ['its end', { $set: { state: 'deleting' } }, 1],
])('of a deployment the host reads again what its visitors get: %s', async (_, update, reads) => {
  const site = await hostWithFeed();
  const { deploymentId: _id } = await publishSite(site, newId(), release('one'));
  const write = (change: Record<string, unknown>) => DeploymentModel.updateOne({ _id }, change).setOptions(ACROSS);
  /** Resolves when the host has followed all changes before this one. */
  const allIsTold = async (nameKey: string): Promise<void> => {
    let stop = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      const onChange = ({ paths }: Change) => paths?.includes('nameKey') && resolve();
      stop = site.providers.changes.subscribe(['deployments'], { onChange, onReopened: () => undefined });
    });
    await write({ $set: { nameKey } });
    await told;
    stop();
    await site.host.refresh();
  };
  await allIsTold('first');
  const read = vi.spyOn(DeploymentModel, 'aggregate');
  await write(update);
  await allIsTold('last');
  const { length } = read.mock.calls;
  read.mockRestore();
  // The last reads all once.
  expect(length).toBe(reads + 1);
});

test('a release that gives way between two questions to the database is known as an earlier one', async () => {
  await using site = await createTestHost();
  const first = await publishSite(site, 'between', release('one'));
  const second = await publishSite(site, 'between', release('two'));
  const { releaseId: _id, deploymentId } = first;
  const set = (id: string, fields: Record<string, unknown>) =>
    ReleaseModel.updateOne({ _id: id }, { $set: fields }).setOptions(ACROSS);
  await set(second.releaseId, { replacedReleaseId: _id });
  await set(_id, { servedUntil: null });

  const { find } = ReleaseModel;
  using _spy = vi.spyOn(ReleaseModel, 'find').mockImplementation((...question: Parameters<typeof find>) => {
    const query = find.apply(ReleaseModel, question);
    const exec = query.exec.bind(query);
    query.exec = () => set(_id, { servedUntil: new Date() }).then(() => exec());
    return query;
  });
  const [row] = await readRoutes([deploymentId], new Date());
  expect(row?.replaced.map(({ endedAt }) => endedAt)).toEqual([expect.any(Date)]);
});

test('a preview that is no longer to be seen goes when the feed says so', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  await publishSite(site, 'seen', release('one'));
  const second = await addRelease(site, 'seen', release('two'), 'verifying');
  expect((await site.get('r2--seen', '/style.css')).text).toBe('two');
  await ReleaseModel.updateOne({ _id: second.releaseId }, { $set: { state: 'failed' } }).setOptions(ACROSS);
  await expect.poll(async () => (await site.get('r2--seen', '/style.css')).status).toBe(404);
});

test('a new address takes the place of the old one', async () => {
  const site = await theHost();
  const first = await publishSite(site, 'old-name', release('one'));
  await DeploymentModel.updateOne({ _id: first.deploymentId }, { $set: { slug: 'new-name' } }).setOptions(ACROSS);
  await site.host.refresh();
  expect((await site.get('new-name', '/style.css')).text).toBe('one');
  expect((await site.get('old-name', '/style.css')).status).toBe(404);
});

test('deployments of other platforms have no address here', async () => {
  const site = await theHost();
  const first = await publishSite(site, 'elsewhere', release('one'));
  await DeploymentModel.updateOne(
    { _id: first.deploymentId },
    { $set: { 'destinations.0.platform': 'netlify' } },
  ).setOptions(ACROSS);
  await site.host.refresh();
  expect((await site.get('elsewhere', '/')).status).toBe(404);
});

const SWITCHES = IS_FULL ? 10 : 4;

test('while releases change under load, every answer belongs to one of them and nothing fails', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const hashed = (word: string) => `assets/app-a1${createHash('sha256').update(word).digest('hex').slice(0, 8)}.js`;
  const full = (word: string) => ({
    ...release(word),
    'index.html': hashed(word),
    [hashed(word)]: `script of ${word}`,
  });
  await publishSite(site, 'busy', full('word0'));
  await expect.poll(async () => (await site.get('busy', '/style.css')).text).toBe('word0');

  let isOver = false;
  let pages = 0;
  const wrong: string[] = [];
  const visitor = async (): Promise<void> => {
    while (!isOver) {
      const page = await site.get('busy', '/');
      const script = await site.get('busy', `/${page.text}`);
      // The page names its script by hash: a visitor who came just before a switch still gets the one that belongs to it.
      const agree =
        page.status === 200 && script.status === 200 && hashed(script.text.slice('script of '.length)) === page.text;
      if (!agree) wrong.push(`${page.status} ${page.text} ${script.status} ${script.text}`);
      pages += 1;
    }
  };
  const visitors = Array.from({ length: 8 }, visitor);
  for (let number = 1; number <= SWITCHES; number += 1) {
    const before = pages;
    await publishSite(site, 'busy', full(`word${number}`));
    await expect.poll(async () => (await site.get('busy', '/style.css')).text).toBe(`word${number}`);
    // Visitors from before the switch, and some from after it.
    await expect.poll(() => pages).toBeGreaterThan(before + visitors.length);
  }
  isOver = true;
  await Promise.all(visitors);
  expect(wrong).toEqual([]);
});

test('hashed assets of the release before answer for a day, its other files do not, nor for another day', async () => {
  let shiftMs = 0;
  await using site = await createTestHost({ providers: { now: () => new Date(Date.now() + shiftMs) } });
  const before = { 'index.html': 'one', 'old.html': 'x', 'plain.js': 'x', 'app-3f2a1b9c.js': 'OLD' };
  const { releaseId: _id } = await publishSite(site, 'tabs', before);
  expect((await site.get('tabs', '/')).text).toBe('one');
  await publishSite(site, 'tabs', { 'index.html': 'two', 'app-99d1e0f4.js': 'NEW' });
  expect((await site.get('tabs', '/')).text).toBe('two');
  const old = await site.get('tabs', '/app-3f2a1b9c.js');
  expect([old.status, old.text]).toEqual([200, 'OLD']);
  for (const path of ['/old.html', '/plain.js']) expect((await site.get('tabs', path)).status).toBe(404);
  await ReleaseModel.updateOne({ _id }, { $set: { servedUntil: new Date() } }).setOptions(ACROSS);
  await site.restart();
  expect((await site.get('tabs', '/app-3f2a1b9c.js')).text).toBe('OLD');
  shiftMs = 25 * 60 * 60_000;
  expect((await site.get('tabs', '/app-3f2a1b9c.js')).status).toBe(404);
});

test('the assets of the release that was replaced answer also for a host that has never served it', async () => {
  await using site = await createTestHost();
  const first = await publishSite(site, 'killed', { 'index.html': 'one', 'app-3f2a1b9c.js': 'OLD' });
  // Killed before the list on disk contained the first release, and the second one goes live elsewhere.
  await site.host.stop();
  await rm(join(site.folder, 'host'), { recursive: true });
  const second = await addRelease(site, 'killed', { 'index.html': 'two', 'app-99d1e0f4.js': 'NEW' }, 'live');
  const replacing = { $set: { replacedReleaseId: first.releaseId } };
  await ReleaseModel.updateOne({ _id: second.releaseId }, replacing).setOptions(ACROSS);
  await makeLive(second);
  await site.restart();
  expect((await site.get('killed', '/')).text).toBe('two');
  const old = await site.get('killed', '/app-3f2a1b9c.js');
  expect([old.status, old.text]).toEqual([200, 'OLD']);

  await ReleaseModel.updateOne({ _id: first.releaseId }, { $set: { servedUntil: new Date(0) } }).setOptions(ACROSS);
  await site.host.stop();
  await rm(join(site.folder, 'host'), { recursive: true });
  await site.restart();
  expect((await site.get('killed', '/app-3f2a1b9c.js')).status).toBe(404);
});

test('the assets of every release of a day answer, however many, also for a host that has never served them', async () => {
  let shiftMs = 0;
  await using site = await createTestHost({ providers: { now: () => new Date(Date.now() + shiftMs) } });
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  for (const number of numbers) {
    const content = { 'index.html': `${number}`, [`app-3f2a1b9${number}.js`]: `script ${number}` };
    const { deploymentId, releaseId } = await publishSite(site, 'busy-day', content);
    await ReleaseModel.updateMany(
      { deploymentId, _id: { $ne: releaseId }, servedUntil: null },
      { $set: { servedUntil: site.providers.now() } },
    ).setOptions(ACROSS);
  }
  const scripts = () => Promise.all(numbers.map(async (number) => site.get('busy-day', `/app-3f2a1b9${number}.js`)));
  const all = numbers.map((number) => `script ${number}`);
  expect((await scripts()).map(({ text }) => text)).toEqual(all);

  await site.host.stop();
  await rm(join(site.folder, 'host'), { recursive: true });
  await site.restart();
  expect((await scripts()).map(({ text }) => text)).toEqual(all);
  shiftMs = 25 * 60 * 60_000;
  expect((await scripts()).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 200]);
});

test('a host that has not heard of a switch looks again before it says that a file is missing', async () => {
  const site = await theHost();
  const switchTo = async (name: string, content: Record<string, string>): Promise<void> =>
    makeLive(await addRelease(site, name, content, 'live'));
  await publishSite(site, 'behind', { 'index.html': 'one' });
  expect((await site.get('behind', '/')).text).toBe('one');
  await switchTo('behind', { 'index.html': 'two', 'new.html': 'new page', '404.html': 'nothing of two' });
  expect((await site.get('behind', '/new.html')).text).toBe('new page');
  const missing = await site.get('behind', '/nowhere.html');
  expect([missing.status, missing.text]).toEqual([404, 'nothing of two']);

  // A rule that answers everything does not answer with a page where another process has named a script.
  const rules = { _redirects: '/* /index.html 200' };
  await publishSite(site, 'ruled', { ...rules, 'index.html': 'one' });
  expect((await site.get('ruled', '/')).text).toBe('one');
  await switchTo('ruled', { ...rules, 'index.html': 'two', 'app-99d1e0f4.js': 'NEW' });
  expect((await site.get('ruled', '/some/page')).text).toBe('one');
  expect((await site.get('ruled', '/app-99d1e0f4.js')).text).toBe('NEW');
  expect((await site.get('ruled', '/some/page')).text).toBe('two');
});

test('the assets of a release that was put back answer also for a host that has never served it', async () => {
  const site = await theHost();
  await publishSite(site, 'put-back', { 'index.html': 'one' });
  const second = await addRelease(site, 'put-back', { 'index.html': 'two', 'app-99d1e0f4.js': 'NEW' }, 'failed');
  expect((await site.get('put-back', '/app-99d1e0f4.js')).status).toBe(404);
  const end = async (servedUntil: Date): Promise<void> => {
    await ReleaseModel.updateOne({ _id: second.releaseId }, { $set: { servedUntil } }).setOptions(ACROSS);
    await site.host.refresh();
  };
  await end(new Date(0));
  expect((await site.get('put-back', '/app-99d1e0f4.js')).status).toBe(404);
  await end(new Date());
  const asset = await site.get('put-back', '/app-99d1e0f4.js');
  expect([asset.status, asset.text]).toEqual([200, 'NEW']);
  expect((await site.get('put-back', '/')).text).toBe('one');
});

test('the list of live sites is on disk soon after a switch', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const { releaseId } = await publishSite(site, 'on-disk', release('one'));
  await expect
    .poll(async () => readFile(join(site.folder, 'host', 'sites.ndjson'), 'utf8').catch(() => ''))
    .toContain(releaseId);
});
