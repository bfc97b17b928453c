import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { follow, look } from '../specification/navigation.ts';
import { PUBLIC, ROUTES, type Route, routesOf } from '../specification/route-table.ts';
import { type Account, clientOf, publishSite } from '../support/api-account.ts';
import { twentyPages, writeSite } from '../support/sites.ts';
import { IS_FULL } from '../support/size.ts';
import { STILL } from './axe.ts';
import { expect, newcomer, seeDisclaimer, test } from './fixtures.ts';
import { placesOf } from './places.ts';

/**
 * Makes a picture of every screen at four widths in both themes, with no deployment, with one and with twenty, for eyes to
 * look at: `test-results/pictures/<stock>/<screen>-<width>-<theme>.png`. What a test can tell of it, it tells: that the
 * screen came, and that it fits the width.
 */
const OUT = resolve('test-results/pictures');
const WIDTHS = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 900 },
  { width: 1920, height: 1080 },
];
const THEMES = ['light', 'dark'] as const;

/** Names as people write them: long, short, in other scripts, from right to left, without a space to break at. */
const NAMES = [
  'harbour-cafe',
  'The quarterly newsletter of the lighthouse keepers of the northern islands',
  'a',
  'カフェ・ハーバー 港の珈琲店',
  'مقهى الميناء القديم',
  'בית הקפה שבנמל',
  'Caffè del porto — menù d’estate',
  'Ελληνικό λιμάνι',
  'Гавань и маяк',
  '항구 카페',
  'ท่าเรือเก่า',
  'बंदरगाह कैफ़े',
  'donaudampfschifffahrtselektrizitaetenhauptbetriebswerk',
  '🌊 waves',
  'Smörgåsbord',
  'photo-site',
  'docs',
  'shop-2026',
  'Żółw i łódź',
  'landing page (draft) #7',
];

test.use(STILL);

if (IS_FULL) {
  // Each is some hundred pictures.
  test.setTimeout(900_000);

  test('pictures of what everybody sees', async ({ page }) => {
    await page.goto('/disclaimer');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await takePictures(page, 'signed-out', 'disclaimer');
    await seeDisclaimer(page);
    await page.goto('/about');
    await walk(
      page,
      'signed-out',
      PUBLIC.filter(({ path }) => path !== '/disclaimer'),
    );
  });

  for (const count of [0, 1, 20]) {
    test(`pictures of the app with ${count} deployments`, async ({ page, folder }) => {
      const account = await newcomer(page);
      const ids = await publish(account, NAMES.slice(0, count));
      await page.goto('/about');
      const shared = new Set(PUBLIC.map(({ path }) => path));
      const own = ROUTES.filter(({ path, access }) => !shared.has(path) || (access === 'public' && count === 0));
      const rows = own.filter(({ path }) => path !== '/disclaimer' && path !== '/auth');
      await walk(page, `${count}-deployments`, rows);
      const [id] = ids;
      if (id === undefined) return;
      await walkDeployment(page, `${count}-deployments`, id, NAMES[0] ?? '');
      if (count === 1) await walkPlaces(page, account, id, folder);
    });
  }
}

/** The one that all pictures of a deployment are of comes first, and has two releases and a domain. */
async function publish(account: Account, names: readonly string[]): Promise<string[]> {
  const client = clientOf(account);
  const ids: string[] = [];
  for (const [index, name] of names.entries()) {
    const files = index === 0 ? twentyPages('Harbour') : { 'index.html': `<h1>${name}</h1>` };
    const { deploymentId } = await publishSite(account, name, files);
    ids.push(deploymentId);
    if (index < 2)
      await client.domains.add.mutate({ deploymentId, name: `${account.username.replaceAll(' ', '-')}-${index}.test` });
  }
  return ids;
}

async function walk(page: Page, stock: string, rows: readonly Route[]): Promise<void> {
  for (const row of rows) {
    await follow(page, row.path);
    await look(page, row.path, row);
    await takePictures(page, stock, nameOf(row.path));
  }
}

/** The same in each run: an id of twenty letters is left out. */
function nameOf(path: string): string {
  const words = path.split('/').filter((part) => part !== '' && !/^[0-9a-z]{20}$/.test(part));
  if (words.length === 0) return 'home';
  const isOfOne = /^\/(?:deployments|domains|receipts)\/./.test(path) && words.length === 1;
  return isOfOne ? (words[0] ?? '').replace(/s$/, '') : words.join('-');
}

async function walkDeployment(page: Page, stock: string, id: string, name: string): Promise<void> {
  const [deployment, ...others] = routesOf(id, name);
  if (deployment === undefined) throw new Error('The table has no deployment.');
  await walk(page, stock, [deployment]);
  for (const tab of ['releases', 'domains', 'settings']) {
    await page.goto(`${deployment.path}?tab=${tab}`);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await takePictures(page, stock, `deployment-${tab}`);
  }
  await walk(page, stock, others);
}

/** The screens of one thing, and a publication under way. */
async function walkPlaces(page: Page, account: Account, id: string, folder: string): Promise<void> {
  const stock = '1-deployments';
  const places = await placesOf(account, id, NAMES[0] ?? '');
  for (const row of places) {
    await follow(page, row.path);
    await look(page, row.path, row);
    await takePictures(
      page,
      stock,
      row.path.endsWith('#publish') ? 'publish-again' : nameOf(row.path.split('#')[0] ?? ''),
    );
  }
  await writeSite(folder, twentyPages('Quay'));
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await takePictures(page, stock, 'publish-again-chosen');
  await page.route('**/api/uploads/*/files**', () => undefined);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Steps of the release' })).toBeVisible();
  await takePictures(page, stock, 'publication-under-way');
}

async function takePictures(page: Page, stock: string, name: string): Promise<void> {
  const folder = join(OUT, stock);
  await mkdir(folder, { recursive: true });
  await expect(page.getByRole('status').filter({ visible: true, hasText: /^Loading/ })).toHaveCount(0);
  for (const size of WIDTHS) {
    await page.setViewportSize(size);
    for (const theme of THEMES) {
      await page.evaluate((look) => document.documentElement.setAttribute('data-theme', look), theme);
      await page.screenshot({ path: join(folder, `${name}-${size.width}-${theme}.png`), fullPage: true });
    }
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect.soft(wider, `${stock}, ${name} at ${size.width} px scrolls sideways`).toBeLessThanOrEqual(0);
  }
}
