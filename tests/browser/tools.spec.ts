import { readFile } from 'node:fs/promises';
import { publishSite } from '../support/api-account.ts';
import { expect, newcomer, test } from './fixtures.ts';

test('in a low window the navigation scrolls to where one is, and its footer stays in sight', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 560 });
  await newcomer(page);
  const sidebar = page.locator('aside');
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
  await sidebar.getByRole('link', { name: 'Dashboard' }).click();
  await expect(sidebar.getByRole('link', { name: 'Dashboard' })).toBeInViewport({ ratio: 1 });
});

test('what is live is seen with its address, its report, its figures and its files', async ({ page }) => {
  const account = await newcomer(page);
  const site = await publishSite(account, 'lighthouse keeper', { 'index.html': '<h1>Light</h1>' });
  const goTo = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  await page.goto('/domains');
  const visit = page.getByRole('link', { name: 'Visit lighthouse keeper, opens in a new tab' });
  await expect(visit).toHaveAttribute('href', site.siteUrl);
  await goTo('System Diagnostics');
  await expect(page.getByText('No problems found in lighthouse keeper')).toBeVisible();
  await expect(page.getByText('fetched from the host and compared')).toBeVisible();
  await goTo('Analytics');
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
  await expect(page.getByRole('treeitem').first()).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as ZIP' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('lighthouse keeper 1.zip');
});
