import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from '@playwright/test';
import { openAccount, publishSite } from '../support/api-account.ts';
import { oddNames, type SiteFiles, twentyPages, viteBuild, writeSite } from '../support/sites.ts';
import {
  ASKED_TOO_LATE,
  expect,
  logIn,
  newCredentials,
  newcomer,
  registerHere,
  seeDisclaimer,
  test,
} from './fixtures.ts';
import { bodyOf, chooseFolder, expectLive, publishFolder } from './publishing.ts';

/** A file of any type, asked for by a page of its site. */
async function fetchedBySite(page: Page, address: string, encodedPath: string): Promise<string> {
  const visitor = await page.context().newPage();
  await visitor.goto(address);
  const body = await visitor.evaluate(async (path) => (await fetch(path)).text(), `/${encodedPath}`);
  await visitor.close();
  return body;
}

test('a folder that waits is gone for the next account in the tab', async ({ page, folder, complaints }) => {
  complaints.allow(ASKED_TOO_LATE);
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
