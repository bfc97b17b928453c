import type { Page, Request } from '@playwright/test';
import { seenBefore } from '../specification/accounts.ts';
import { follow, look } from '../specification/navigation.ts';
import { ALIKE, APP, PAID, PUBLIC, type Route, routesOf } from '../specification/route-table.ts';
import { clientOf, publishSite, startPublish } from '../support/api-account.ts';
import { twentyPages } from '../support/sites.ts';
import { IS_FULL } from '../support/size.ts';
import { SMALL } from './fits.ts';
import { expect, newcomer, test } from './fixtures.ts';
import { placesOf } from './places.ts';
import { drawFrames, LARGE, readShifts, SHIFT_MAX, type Shift, sumOf, watchShifts } from './shifts.ts';

/** No screen jumps while it loads. Answers are held back for some frames, so that the placeholders are really seen. */
const HELD_FRAMES = 4;
const WIDE = ['/', '/pricing', '/dashboard', '/deployments', '/deployment-history', '/settings', '/account'];

type OpenCalls = { count(): number; forget(): void };

/** Counts the calls of the page that have no answer yet; those of a page that was left never get one. */
async function holdAnswers(page: Page): Promise<OpenCalls> {
  const open = new Set<Request>();
  const isCall = (request: Request): boolean => new URL(request.url()).pathname.startsWith('/api/');
  page.on('request', (request) => {
    if (isCall(request)) open.add(request);
  });
  // Not when it is finished: the body of a refusal may be left unread.
  page.on('response', (response) => void open.delete(response.request()));
  page.on('requestfailed', (request) => void open.delete(request));
  await page.route('**/api/**', async (route) => {
    // The page may be left in the meantime.
    await drawFrames(page, HELD_FRAMES).catch(() => undefined);
    await route.continue().catch(() => undefined);
  });
  return { count: () => open.size, forget: () => open.clear() };
}

/** Loads the screen and waits until nothing of it is still to come. */
async function shiftsOf(page: Page, path: string, openCalls?: OpenCalls): Promise<Shift[]> {
  openCalls?.forget();
  await page.goto(path, { waitUntil: 'load' });
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  await waitForAll(page, openCalls);
  return readShifts(page);
}

async function waitForAll(page: Page, openCalls?: OpenCalls): Promise<void> {
  await expect(page.getByRole('status').filter({ visible: true, hasText: /^Loading/ })).toHaveCount(0);
  await expect.poll(() => openCalls?.count() ?? 0, { intervals: [50] }).toBe(0);
}

/** The same of screens that a link leads to, in a page that is loaded once: a tenth of what loading each costs. */
async function followAll(page: Page, rows: readonly Route[]): Promise<void> {
  await page.addInitScript(watchShifts);
  const openCalls = await holdAnswers(page);
  for (const size of [SMALL, LARGE]) {
    await page.setViewportSize(size);
    let before = (await shiftsOf(page, '/help', openCalls)).length;
    for (const row of rows) {
      await follow(page, row.path);
      await look(page, row.path, row);
      await waitForAll(page, openCalls);
      const shifts = await readShifts(page);
      const own = shifts.slice(before);
      before = shifts.length;
      expect
        .soft(sumOf(own), `${row.path} at ${size.width} px: ${JSON.stringify(own, null, 1)}`)
        .toBeLessThan(SHIFT_MAX);
    }
  }
}

async function compareAll(page: Page, paths: readonly string[]): Promise<void> {
  await page.addInitScript(watchShifts);
  const openCalls = await holdAnswers(page);
  for (const size of [SMALL, LARGE]) {
    await page.setViewportSize(size);
    // Where everything stands below one another each step moves the next; beside one another links are followed.
    for (const path of size === SMALL ? paths : paths.filter((one) => WIDE.includes(one))) {
      await test.step(`${path} at ${size.width} px`, async () => {
        const shifts = await shiftsOf(page, path, openCalls);
        expect
          .soft(sumOf(shifts), `${path} at ${size.width} px: ${JSON.stringify(shifts, null, 1)}`)
          .toBeLessThan(SHIFT_MAX);
      });
    }
  }
}

test('a jump would be seen', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  await page.addInitScript(watchShifts);
  expect(sumOf(await shiftsOf(page, '/about'))).toBeLessThan(SHIFT_MAX);
  await page.evaluate(() => {
    const late = document.createElement('div');
    late.style.height = '200px';
    document.body.prepend(late);
  });
  expect(sumOf(await readShifts(page))).toBeGreaterThan(SHIFT_MAX);
});

/** Outside full counts one of each make is loaded; links to the others are followed. */
const GATE = ['/', '/about', '/login', '/pricing', '/subscription/pricing', '/faq', '/help', '/websocket-demo'];

// Who has seen it is led on.
test('the disclaimer does not jump while it loads', async ({ page }) => {
  await compareAll(page, ['/disclaimer']);
});

test('no public screen jumps while it loads', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  const all = PUBLIC.map(({ path }) => path).filter((path) => path !== '/disclaimer');
  await compareAll(page, IS_FULL ? all : GATE);
});

test('no public screen jumps when a link leads to it', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  await followAll(
    page,
    PUBLIC.filter(({ path }) => path !== '/disclaimer' && (IS_FULL || !ALIKE.test(path))),
  );
});

/** Makes somebody who has a live site; returns the rows of their screens. */
async function appRows(page: Page): Promise<Route[]> {
  const account = await newcomer(page);
  const { deploymentId } = await publishSite(account, 'Harbour lights', twentyPages('Harbour'));
  return [...APP, ...PAID, ...routesOf(deploymentId, 'Harbour lights')];
}

test('no screen of the app jumps when a link leads to it', async ({ page }) => {
  const rows = await appRows(page);
  await followAll(page, IS_FULL ? rows : rows.filter(({ path }) => !ALIKE.test(path)));
});

if (IS_FULL) {
  test('no screen of the app jumps while it loads', async ({ page }) => {
    const rows = await appRows(page);
    await compareAll(
      page,
      rows.map(({ path }) => path),
    );
  });
}

test('no screen of one domain, payment or report jumps while it comes', async ({ page }) => {
  const account = await newcomer(page);
  const { deploymentId } = await publishSite(account, 'Harbour lights', { 'index.html': '<h1>Harbour</h1>' });
  const places = await placesOf(account, deploymentId, 'Harbour lights');
  await followAll(page, places);
  // A person has to finish this one, which the dashboard names above all that it has.
  const { deployments } = clientOf(account);
  const { id } = await deployments.create.mutate({ name: 'Quay', platform: 'replit' });
  await startPublish(account, { deploymentId: id }, { 'index.html': '<h1>Quay</h1>' });
  await expect
    .poll(async () => (await deployments.get.query({ deploymentId: id })).destinations[0]?.state)
    .toBe('waiting');
  await compareAll(page, ['/dashboard']);
  await expect(page.getByRole('heading', { name: 'Needs you' })).toBeVisible();
});
