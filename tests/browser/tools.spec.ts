import { readFile } from 'node:fs/promises';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { writeSite } from '../support/sites.ts';
import { expect, newCredentials, newcomer, refusedCall, test } from './fixtures.ts';

test('in a low window the navigation scrolls to where one is, and its footer stays in sight', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 560 });
  await newcomer(page);
  await page.goto('/dashboard');
  const sidebar = page.locator('aside');
  await expect(sidebar.getByRole('link', { name: 'Dashboard' })).toBeInViewport({ ratio: 1 });
  const entry = sidebar.getByRole('link', { name: 'License Management' });
  // Who is here is known last: what that brings must not move the entry.
  await page.route(/\/api\/trpc\/[^?]*user\.get/, async (route) => {
    await expect(entry).toBeInViewport({ ratio: 1 });
    await route.continue();
  });
  await page.goto('/license-management');
  await expect(sidebar.getByRole('button', { name: 'Go to' })).toBeVisible();
  await expect(entry).toBeInViewport({ ratio: 1 });
  for (const name of ['Pricing & Trial Beta', 'About', 'Logout']) {
    await expect(sidebar.getByRole('link', { name })).toBeInViewport({ ratio: 1 });
  }
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test('a dry run reads a folder and sends nothing, and New Deployment goes on with it', async ({ page, folder }) => {
  await writeSite(folder, { 'index.html': '<h1>Harbour</h1>', '.env': 'SECRET=1' });
  await newcomer(page);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  await page.goto('/test-simulation');
  await expect(page.getByText('A new deployment can be made')).toBeVisible();
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await expect(page.getByText('Private, and left out:')).toBeVisible();
  await expect(page.getByText('Nothing was sent.')).toBeVisible();
  expect(sent.filter((request) => !request.endsWith('/api/refresh-token'))).toEqual([]);

  await page.getByRole('button', { name: 'Set up a preflight' }).click();
  await page.getByRole('button', { name: 'Run the preflight' }).click();
  await expect(page.getByText('Nothing would be refused')).toBeVisible();
  await page.getByRole('button', { name: 'Set up a simulation' }).click();
  await page.getByRole('combobox', { name: 'What goes wrong' }).click();
  await page.getByRole('option', { name: 'Checking fails' }).click();
  await page.getByRole('button', { name: 'Run the simulation' }).click();
  const simulated = page.getByRole('region', { name: 'Simulated deployment' });
  await simulated.getByRole('button', { name: 'Skip to the end' }).click();
  await expect(simulated.getByText('Release 1 failed while verifying')).toBeVisible();
  await expect(simulated.getByText('Simulated', { exact: true })).toBeInViewport();
  await page.getByRole('button', { name: 'Continue to New Deployment' }).click();
  await expect(page).toHaveURL(/\/new-deployment$/);
  await expect(page.getByText('Private, and left out:')).toBeVisible();
});

test('what is live is seen with its address, its report, its figures and its files, by its owner alone', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(refusedCall(404, 'deployments.get'));
  const account = await newcomer(page);
  const site = await publishSite(account, 'lighthouse keeper', { 'index.html': '<h1>Light</h1>' });
  const { username, password } = newCredentials();
  const stranger = await openAccount(app.url, username, password);
  const foreign = await clientOf(stranger).deployments.create.mutate({ name: 'foreign', platform: 'built-in' });

  await page.goto('/domains');
  const visit = page.getByRole('link', { name: 'Visit lighthouse keeper, opens in a new tab' });
  await expect(visit).toHaveAttribute('href', site.siteUrl);
  await page.goto('/diagnostics');
  await expect(page.getByText('No problems found in lighthouse keeper')).toBeVisible();
  await expect(page.getByText('fetched from the host and compared')).toBeVisible();
  await page.goto('/analytics');
  await expect(page.getByRole('table', { name: 'Releases by deployment' })).toContainText('lighthouse keeper');
  await expect(page.getByRole('table', { name: 'Releases by platform' })).toContainText('Built-in host');
  await expect(page.getByText('No visits in this period')).toBeVisible();
  // The page that is open hears of it.
  const reader = await page.context().newPage();
  await reader.goto(site.siteUrl);
  await expect(page.getByRole('img', { name: 'Page views and visitors by day' })).toBeVisible({ timeout: 20_000 });
  await reader.close();
  for (const [item, heading] of [
    ['Visits over time', 'time,deployment,address,'],
    ['Pages', 'page,deployment,address,page views'],
    ['Referrers', 'referrer,deployment,address,page views'],
  ] as const) {
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    expect(await readFile(await (await saving).path(), 'utf8')).toContain(heading);
  }

  await page.goto(`/deployment-editor/${site.deploymentId}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as ZIP' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('lighthouse keeper 1.zip');
  await expect(page.getByRole('treeitem').first()).toBeVisible();
  await page.goto(`/deployment-editor/${foreign.id}`);
  await expect(page.getByText('This deployment does not exist')).toBeVisible();
});
