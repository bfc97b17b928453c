import { stat } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import {
  type Account,
  clientOf,
  type Publication,
  publishSite,
  releaseEnd,
  startPublish,
} from '../support/api-account.ts';
import { writeSite } from '../support/sites.ts';
import { expectFits, SMALL } from './fits.ts';
import { expect, nameDeployment, newcomer, refusedCall, test } from './fixtures.ts';

/** A site of two releases, made by a script, and its owner signed in. */
async function ownerOfTwoReleases(page: Page, name: string): Promise<{ account: Account; site: Publication }> {
  const account = await newcomer(page);
  const site = await publishSite(account, name, { 'index.html': '<h1>The first</h1>' });
  const files = { 'index.html': '<h1>The second</h1>', 'added.html': '<h1>Added</h1>' };
  const { release } = await startPublish(account, site, files);
  expect(await releaseEnd(account, release.id)).toBe('live');
  return { account, site };
}

/** Runs in the page: the links whose text is cut, in which a short name has to be whole. */
function cutLinks(): string[] {
  const isCut = (element: Element): boolean =>
    element.checkVisibility() &&
    getComputedStyle(element).textOverflow === 'ellipsis' &&
    element.scrollWidth > element.clientWidth + 1;
  return [...document.querySelectorAll('#content a, #content a *')]
    .filter(isCut)
    .map((element) => element.textContent ?? '');
}

/** Runs in the page: the ends of names that are cut, be it by a part of a pixel. */
function cutEnds(): string[] {
  const isCut = (end: Element): boolean => {
    const text = document.createRange();
    text.selectNodeContents(end);
    return text.getBoundingClientRect().width > end.getBoundingClientRect().width + 0.01;
  };
  return [...document.querySelectorAll('[title] > [aria-hidden]:last-child')]
    .filter((end) => end.checkVisibility() && isCut(end))
    .map((end) => end.textContent ?? '');
}

const NO_NETWORK = /net::ERR_INTERNET_DISCONNECTED|Failed to fetch dynamically imported module/;

test('a folder without an entry page is published after one question, and not before', async ({
  page,
  folder,
  complaints,
}) => {
  // The thumbnail of a site that has nothing at its address.
  complaints.allow(refusedCall(404, 'no-entry'));
  await writeSite(folder, { 'start.html': '<h1>Start</h1>', 'notes.txt': 'notes' });
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await nameDeployment(page, 'no entry');
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await publish.click();
  const question = page.getByRole('alertdialog', { name: 'Publish without a start page?' });
  await expect(question).toContainText('There is no index.html');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await expect(page).toHaveURL(/\/new-deployment$/);

  await publish.click();
  await question.getByRole('button', { name: 'Publish anyway' }).click();
  await page.waitForURL(/\/releases\/1$/);
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible();

  await writeSite(folder, { 'start.html': '<h1>Start anew</h1>' });
  await page.goto(`${page.url().replace(/\/releases\/1$/, '')}#publish`);
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await publish.click();
  await question.getByRole('button', { name: 'Publish anyway' }).click();
  await page.waitForURL(/\/releases\/2$/);
});

test('a screen that could not be loaded can be asked for again, and comes once the network is back', async ({
  page,
  context,
  complaints,
}) => {
  complaints.allow(NO_NETWORK);
  await newcomer(page);
  await page.goto('/dashboard');
  await page.waitForLoadState('networkidle');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Deployment History' }).click();
  await expect(page.getByText('This screen could not be loaded')).toBeVisible();
  const retry = page.getByRole('button', { name: 'Retry' });
  const failed = page.waitForEvent('requestfailed');
  await retry.click();
  await failed;
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Deployment History' })).toBeVisible();
  await expect(page.getByText('No releases yet.')).toBeVisible();
});

test('a list that is on its way has the shape of its rows, and a failed one can be asked again', async ({
  page,
  complaints,
}) => {
  complaints.allow(/status of 503|net::ERR_FAILED/);
  await newcomer(page);
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const lists = /\/api\/trpc\/[^?]*(deployments|releases)\.list/;
  await page.route(lists, async (route) => {
    await arrived;
    await route.fulfill({ status: 503, body: 'away' });
  });
  for (const [path, label] of [
    ['/deployments', 'Loading the deployments'],
    ['/deployment-history', 'Loading the releases'],
  ] as const) {
    await page.goto(path);
    const skeleton = page.getByRole('status').filter({ hasText: label });
    await expect(skeleton).toBeVisible();
    expect((await skeleton.boundingBox())?.height).toBeGreaterThan(200);
  }
  arrive();
  await expect(page.getByText('The releases could not be loaded')).toBeVisible();
  await page.unroute(lists);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('No releases yet.')).toBeVisible();
});

test('a roll back stays in the history, any two releases are compared, and a release is saved as a ZIP', async ({
  page,
}) => {
  // Short enough to be whole at any width, and free where the test is tried once more.
  const name = `traced ${Date.now().toString(36).slice(-4)}`;
  const { site } = await ownerOfTwoReleases(page, name);
  const deployment = `/deployments/${site.deploymentId}`;
  await page.goto(`${deployment}/releases/1`);
  await page.getByRole('button', { name: 'Roll back to release 1' }).click();
  await page.getByRole('button', { name: 'Roll back to 1', exact: true }).click();
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible();
  for (const path of [`${deployment}?tab=releases`, '/dashboard', '/deployment-history']) {
    await page.goto(path);
    await expect(page.getByRole('link', { name: /from release 2 back to 1$/i })).toBeVisible();
    await expect(page.getByText('Rolled back', { exact: true })).toBeVisible();
    // The columns change at each of them.
    for (const width of [360, 768, 1024, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(cutLinks), `${path} at ${width} px`).toEqual([]);
    }
  }
  // The row around it is a link, and lies below it.
  await page.locator('time').first().hover();
  await expect(page.getByRole('tooltip')).toBeVisible();

  await page.goto(`${deployment}/releases/1`);
  const changes = page.getByLabel('Changes', { exact: true });
  await changes.getByRole('combobox', { name: 'Compare with' }).click();
  await page.getByRole('option', { name: 'Release 2' }).click();
  await expect(page).toHaveURL(/\?against=2$/);
  await expect(changes.getByText('Compared with release 2')).toBeVisible();
  await expect(changes.getByText('added.html')).toBeVisible();
  await page.reload();
  await expect(changes.getByText('Compared with release 2')).toBeVisible();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as ZIP' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${name} 1.zip`);
  expect((await stat(await download.path())).size).toBeGreaterThan(100);
});

test('an address that is taken is told while it is typed, and a change of it is told when it is done', async ({
  page,
}) => {
  const { account, site } = await ownerOfTwoReleases(page, 'lighthouse');
  const other = await publishSite(account, 'taken already', { 'index.html': '<h1>Taken</h1>' });
  await page.goto('/new-deployment');
  await page.getByLabel('Name', { exact: true }).fill('taken already');
  await expect(page.getByText(/is taken\./)).toBeVisible();
  await expect(page.getByText('It will be live at')).toContainText(`${other.slug.replace(/-\d+$/, '')}-`);

  await page.goto(`/deployments/${site.deploymentId}?tab=settings`);
  await page.getByRole('button', { name: 'Change address' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the address of lighthouse' });
  const address = dialog.getByLabel('Address');
  await address.fill('Not an address');
  await expect(dialog.getByText('Use lowercase letters')).toBeVisible();
  await address.fill(other.slug);
  await expect(dialog.getByText('is taken.')).toBeVisible();
  const free = `moved-${Date.now().toString(36)}`;
  await address.fill(free);
  await expect(dialog.getByText(`Live at ${free}`)).toBeVisible();
  await dialog.getByRole('button', { name: 'Change address' }).click();
  await expect(page.getByText('Address changed', { exact: true })).toBeVisible();
});

test('tabs, choices and switches go by the keyboard, and a switch is heeded by the host', async ({ page }) => {
  const { site } = await ownerOfTwoReleases(page, 'served site');
  await page.goto(`/deployments/${site.deploymentId}`);
  await page.getByRole('tab', { name: 'Overview' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeFocused();
  await expect(page.getByRole('tabpanel', { name: 'Settings' })).toBeVisible();
  await page.keyboard.press('Home');
  await expect(page.getByRole('tabpanel', { name: 'Overview' })).toBeVisible();
  await page.keyboard.press('End');

  const single = page.getByRole('switch', { name: 'Single-page app' });
  await single.focus();
  await page.keyboard.press('Space');
  await expect(single).toBeChecked();
  await expect(page.locator('[data-toast]')).toContainText('Turned on: Single-page app');
  const visitor = await page.context().newPage();
  await expect.poll(async () => (await visitor.goto(new URL('/some/route', site.siteUrl).href))?.status()).toBe(200);
  await expect(visitor.getByRole('heading', { name: 'The second' })).toBeVisible();

  await page.goto('/new-deployment');
  await page.getByRole('radio', { name: /Built-in host/ }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: /Netlify/ })).toBeChecked();
});

test('a choice in many words is read whole on a small telephone', async ({ page }) => {
  await newcomer(page);
  await page.setViewportSize(SMALL);
  await page.goto('/deploy/heroku');
  await page.getByRole('combobox', { name: 'Dyno' }).click();
  const list = page.getByRole('listbox');
  await expect(list).toBeVisible();
  const { x = 0, width = 0 } = (await list.boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(SMALL.width);
  await list.getByRole('option', { name: /^Eco/ }).click();
  await expect(list).toBeHidden();
  await expectFits(page, 'the page of a platform whose setting is long');
});

test('on a small telephone the button after a choice of files, and the last act of a menu, are in sight', async ({
  page,
  folder,
}) => {
  const { site } = await ownerOfTwoReleases(page, 'low quay');
  await writeSite(folder, { 'index.html': '<h1>The third</h1>', 'about.html': '<h1>About</h1>' });
  await page.setViewportSize(SMALL);
  await page.goto(`/deployments/${site.deploymentId}#publish`);
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeInViewport({ ratio: 1 });
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('button', { name: 'Actions for low quay' }).click();
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeInViewport({ ratio: 1 });

  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeInViewport({ ratio: 1 });
});

test('the end of an address is whole at any width, and records are read at one between telephone and desk', async ({
  page,
}) => {
  const { account, site } = await ownerOfTwoReleases(page, 'the lighthouse of the northern islands');
  const name = `${site.slug}.harbour.test`;
  const domain = await clientOf(account).domains.add.mutate({ deploymentId: site.deploymentId, name });
  await page.goto('/deployments');
  await expect(page.getByRole('link', { name: site.slug })).toBeVisible();
  for (let width = 640; width < 660; width += 1) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(cutEnds), `at ${width} px`).toEqual([]);
  }
  await page.goto(`/domains/${domain.id}`);
  const proof = page.getByRole('cell', { name: `_fairlead.${name}` });
  await expect(proof).toBeVisible();
  // Two lines, and the button that copies them.
  expect((await proof.boundingBox())?.height).toBeLessThan(60);
});
