import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from '@playwright/test';
import { openAccount, publishSite } from '../support/api-account.ts';
import { faultyEntry, startRealApp } from '../support/real-app.ts';
import { oddNames, type SiteFiles, twentyPages, viteBuild, writeSite } from '../support/sites.ts';
import {
  expect,
  logIn,
  nameDeployment,
  newCredentials,
  newcomer,
  register,
  registerHere,
  seeDisclaimer,
  startTrial,
  test,
} from './fixtures.ts';

async function chooseFolder(page: Page, folder: string): Promise<void> {
  await page.getByLabel('Folder to publish').setInputFiles(folder);
}

async function publishFolder(page: Page, folder: string, name: string, baseUrl = ''): Promise<void> {
  await page.goto(`${baseUrl}/new-deployment`);
  await chooseFolder(page, folder);
  await nameDeployment(page, name);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/deployments\/[0-9a-z]{20}\/releases\/1$/);
}

async function expectLive(page: Page): Promise<string> {
  const panel = page.getByLabel('Live', { exact: true });
  await expect(panel).toBeVisible();
  const address = await panel.getByRole('link', { name: 'Visit' }).getAttribute('href');
  return address ?? '';
}

/** What the site answers, asked for by the browser itself: Node does not know `*.localhost`. */
async function bodyOf(page: Page, address: string): Promise<string> {
  const visitor = await page.context().newPage();
  const answer = await visitor.goto(address);
  const body = (await answer?.text()) ?? '';
  await visitor.close();
  return body;
}

/** The same for any type of file, asked for by a page of the site. */
async function fetchedBySite(page: Page, address: string, encodedPath: string): Promise<string> {
  const visitor = await page.context().newPage();
  await visitor.goto(address);
  const body = await visitor.evaluate(async (path) => (await fetch(path)).text(), `/${encodedPath}`);
  await visitor.close();
  return body;
}

test('a newcomer goes from the first visit to a live site, publishes a change and rolls back', async ({
  page,
  folder,
}) => {
  await writeSite(folder, twentyPages('Welcome to the harbour'));
  await page.goto('/');
  await page.waitForURL('**/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await page.waitForURL('**/beta-welcome');
  await register(page);
  await startTrial(page);

  await publishFolder(page, folder, 'Harbour café');
  const address = await expectLive(page);
  expect(address).toMatch(/^http:\/\/harbour-cafe[a-z0-9-]*\.localhost:\d+\/?$/);
  for (const step of ['Prepared', 'Uploaded', 'Processed', 'Verified'])
    await expect(page.getByText(step).first()).toBeVisible();
  expect(await bodyOf(page, address)).toContain('Welcome to the harbour');
  expect(await bodyOf(page, new URL('guides/page-17.html', address).href)).toContain('Guide 17');

  await writeSite(folder, { 'index.html': twentyPages('Winter timetable')['index.html'] ?? '' });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().includes('/files/')) sent.push(request.url());
  });
  await page.goto(`${page.url().replace(/\/releases\/1$/, '')}#publish`);
  await chooseFolder(page, folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/2$/);
  await expectLive(page);
  expect(sent).toHaveLength(1);
  expect(await bodyOf(page, address)).toContain('Winter timetable');

  await page.goto(page.url().replace(/2$/, '1'));
  await page.getByRole('button', { name: 'Roll back to release 1' }).click();
  await page.getByRole('button', { name: 'Roll back to 1', exact: true }).click();
  await expectLive(page);
  expect(await bodyOf(page, address)).toContain('Welcome to the harbour');
});

test('a folder dropped by a visitor is found again after registration and trial', async ({ page, folder }) => {
  await writeSite(folder, twentyPages('Dropped before registering'));
  await seeDisclaimer(page);
  await page.goto('/');
  await chooseFolder(page, folder);
  await expect(page.getByLabel(`Folder ${basename(folder)}`)).toBeVisible();
  await page
    .getByRole('link', { name: /Register/ })
    .last()
    .click();
  await registerHere(page);
  await page.getByRole('button', { name: 'Start the trial' }).click();
  await page.waitForURL('**/new-deployment');
  await expect(page.getByLabel(`Folder ${basename(folder)}`)).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);
  expect(await bodyOf(page, await expectLive(page))).toContain('Dropped before registering');
});

test('a folder that waits is gone for the next account in the tab', async ({ page, folder }) => {
  await writeSite(folder, twentyPages());
  await newcomer(page);
  await page.goto('/new-deployment');
  await chooseFolder(page, folder);
  await expect(page.getByLabel(`Folder ${basename(folder)}`)).toBeVisible();
  await page.getByRole('link', { name: 'Logout' }).click();
  await page.waitForURL('**/login');
  await page.getByRole('tab', { name: 'Register' }).click();
  await registerHere(page);
  await page.getByRole('button', { name: 'Start the trial' }).click();
  await page.waitForURL('**/dashboard');
  // A folder that waited would have led to New Deployment, and would be named there.
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('a folder is taken by dropping it on the page', async ({ page, folder }) => {
  const site = await writeSite(join(folder, 'dropped site'), twentyPages());
  await newcomer(page);
  await page.goto('/new-deployment');
  await expect(page.getByText('Drop a folder').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Choose a folder' })).toBeEnabled();
  const cdp = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [site], dragOperationsMask: 1 };
    await cdp.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
  }
  await expect(page.getByLabel('Folder dropped site')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);
  expect(await bodyOf(page, await expectLive(page))).toContain('Welcome to the harbour');
});

test('a Vite build goes live with its hashed files', async ({ page, folder }) => {
  const build = await viteBuild(folder, 'Built by Vite');
  await newcomer(page);
  await publishFolder(page, build, 'vite site');
  const visitor = await page.context().newPage();
  await visitor.goto(await expectLive(page));
  await expect(visitor.getByText('Built by Vite')).toBeVisible();
});

test('names with spaces, umlauts and emoji are served as they are', async ({ page, folder }) => {
  const files: SiteFiles = oddNames();
  await writeSite(folder, files);
  await newcomer(page);
  await publishFolder(page, folder, 'odd names');
  const address = await expectLive(page);
  for (const path of Object.keys(files)) {
    const encoded = path.normalize('NFC').split('/').map(encodeURIComponent).join('/');
    const wanted = await readFile(join(folder, path), 'utf8');
    expect(await fetchedBySite(page, address, encoded), path).toBe(wanted);
  }
});

test('a second tab follows the release without a reload', async ({ page, folder }) => {
  await writeSite(folder, twentyPages());
  await newcomer(page);
  const other = await page.context().newPage();
  await other.goto('/deployments');
  await expect(other.getByRole('heading', { name: 'Active Deployments' })).toBeVisible();
  // A tab in the background draws no frames, and Playwright waits for one before it types.
  await page.bringToFront();
  await publishFolder(page, folder, 'two tabs');
  await expectLive(page);
  await expect(other.getByText('two tabs').first()).toBeVisible();
  await expect(other.getByText('Live', { exact: true }).first()).toBeVisible();
});

test('a page that is reloaded in mid-release shows the steps that run, and then the site live', async ({
  page,
  folder,
}) => {
  await writeSite(folder, twentyPages());
  const app = await startRealApp({}, faultyEntry({ 'processing:start': 'hold' }));
  try {
    await newcomer(page, app.url);
    await publishFolder(page, folder, 'reloaded', app.url);
    const steps = page.getByRole('list', { name: 'Steps of the release' });
    const current = steps.locator('[aria-current=step]');
    await expect(current).toContainText('Processing');
    await expect.poll(() => app.output()).toContain('Held at processing:start');

    await page.reload();

    await expect(page.getByRole('heading', { name: 'Release 1' })).toBeVisible();
    for (const done of ['Prepared', 'Uploaded']) await expect(steps.getByText(done)).toBeVisible();
    await expect(current).toContainText('Processing');
    await expect(steps.getByRole('listitem').last()).toContainText('Verifying');
    await expect(page.getByLabel('Live', { exact: true })).toHaveCount(0);
    app.child.kill('SIGUSR2');
    await expectLive(page);
    await expect(steps.getByText('Processed')).toBeVisible();
  } finally {
    await page.goto('about:blank');
    await app[Symbol.asyncDispose]();
  }
});

test('somebody who signs in finds the site that a script has published', async ({ page, app }) => {
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  const site = await publishSite(account, 'from a script', twentyPages('Published by a script'));
  await seeDisclaimer(page);
  await logIn(page, credentials);
  await page.goto('/deployments');
  await page.getByRole('link', { name: 'from a script' }).first().click();
  await expect(page.getByRole('heading', { name: 'from a script' })).toBeVisible();
  expect(await bodyOf(page, site.siteUrl)).toContain('Published by a script');
});
