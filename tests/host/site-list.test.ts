import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../server/database/mongo.ts';
import { createRoutes } from '../../server/host/routing/routes.ts';
import { createSiteList, type Route } from '../../server/host/routing/site-list.ts';

const warned: string[] = [];
const LOG = {
  ...{ debug: () => undefined, info: () => undefined, error: () => undefined },
  warn: (message: string) => void warned.push(message),
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'site-list-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const routeOf = (slug: string): Route => ({
  ...{ slug, deploymentId: newId(), accountId: newId(), releaseId: newId(), manifestHash: 'a'.repeat(64) },
  ...{ isSinglePage: false, hasCleanUrls: true, reusedNames: [], earlier: [] },
});

async function* inBatches(routes: readonly Route[]): AsyncGenerator<readonly Route[], void> {
  for (let from = 0; from < routes.length; from += 500) yield routes.slice(from, from + 500);
}

test('of many sites each is found on disk by its name and its id, with what became of it since', async () => {
  const list = createSiteList(folder, LOG);
  expect(await list.find({ slug: 'none-yet' })).toBeUndefined();
  // More than a piece of a megabyte.
  const routes = Array.from({ length: 4_000 }, (_, number) => routeOf(`site-${number}`));
  await list.rewrite(inBatches(routes));
  for (const route of routes.filter((_, number) => number % 500 === 0)) {
    expect(await list.find({ slug: route.slug })).toEqual(route);
    expect(await list.find({ deploymentId: route.deploymentId })).toEqual(route);
  }
  expect(await list.find({ slug: 'site' })).toBeUndefined();

  const [moved, gone, changed] = [routeOf('moved'), routeOf('gone'), routeOf('changed')];
  await list.append([moved, gone, changed]);
  await list.append([{ ...moved, slug: 'elsewhere' }, { deploymentId: gone.deploymentId }]);
  // The machine stopped within a line.
  await appendFile(join(folder, 'host', 'sites.ndjson'), '\n{"slug":"cut","deplo');
  await list.append([{ ...changed, hasCleanUrls: false }]);
  expect(await list.find({ slug: 'moved' })).toBeUndefined();
  expect(await list.find({ slug: 'elsewhere' })).toEqual({ ...moved, slug: 'elsewhere' });
  expect(await list.find({ slug: 'gone' })).toBeUndefined();
  expect(await list.find({ slug: 'cut' })).toBeUndefined();
  expect(await list.find({ slug: 'changed' })).toEqual({ ...changed, hasCleanUrls: false });
  expect(warned).toEqual([]);
});

test('a database that fails while the list is written leaves the list as it was', async () => {
  const list = createSiteList(folder, LOG);
  const route = routeOf('before');
  await list.rewrite(inBatches([route]));
  async function* failing(): AsyncGenerator<readonly Route[], void> {
    yield [routeOf('after')];
    throw new Error('away');
  }
  await expect(list.rewrite(failing())).rejects.toThrow('away');
  expect(await list.find({ slug: 'before' })).toEqual(route);
  expect(await list.find({ slug: 'after' })).toBeUndefined();
});

test('routes in memory weigh what they take, and the longest unused gives way with all its names', () => {
  const hostOf = ({ slug }: Route): string => `${slug}.localhost`;
  const routes = createRoutes({ now: () => 0, hostOf, maxBytes: 3 * 1024 });
  const [one, two, three, four] = [routeOf('one'), routeOf('two'), routeOf('three'), routeOf('four')];
  for (const route of [one, two, three]) routes.restore(route);
  expect(routes.byHost('one.localhost')).toBe(one);
  routes.restore(four);
  expect([routes.byHost('two.localhost'), routes.byDeployment(two.deploymentId)]).toEqual([undefined, undefined]);
  expect(routes.ids().sort()).toEqual([one, three, four].map(({ deploymentId }) => deploymentId).sort());
  const earlier = Array.from({ length: 13 }, () => ({ manifestHash: 'b'.repeat(64), until: 1 }));
  routes.restore({ ...four, slug: 'moved', earlier });
  expect(routes.ids()).toEqual([four.deploymentId]);
  expect([routes.byHost('four.localhost'), routes.byHost('moved.localhost')?.earlier]).toEqual([undefined, earlier]);
});
