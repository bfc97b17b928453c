import { clientOf, openAccount, publishSite } from '../support/doors.ts';
import { twentyPages, writeSite } from '../support/sites.ts';
import { expect, logIn, newCredentials, newcomer, refusedCall, seeDisclaimer, test } from './fixtures.ts';

/** Specification, section 2, Layout, without what All-in-One and the guided way are made of. */
const ENTRIES = {
  Main: ['Home', 'Dashboard', 'Analytics'],
  Deployments: ['Active Deployments', 'Deployment History', 'New Deployment'],
  Configuration: ['Domains', 'SSL Certificates', 'Settings'],
  Tools: ['Deploy to Netlify', 'System Diagnostics', 'Test & Simulation', 'License Management'],
};

test('the whole navigation is in reach, also where the window is low, and on a small screen', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await newcomer(page);
  const sidebar = page.locator('aside');
  for (const [group, entries] of Object.entries(ENTRIES)) {
    const links = sidebar.getByRole('region', { name: group, exact: true }).getByRole('link');
    for (const entry of entries) await expect(links.filter({ hasText: entry })).toBeAttached();
  }
  await expect(sidebar.getByRole('link', { name: 'System Diagnostics New' })).toBeAttached();
  await expect(sidebar.getByRole('link', { name: 'Pricing & Trial Beta' })).toBeInViewport({ ratio: 1 });

  await page.goto('/license-management');
  await expect(sidebar.getByRole('link', { name: 'License Management' })).toBeInViewport({ ratio: 1 });
  await expect(sidebar.getByRole('link', { name: 'Logout' })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => window.scrollY)).toBe(0);

  await page.setViewportSize({ width: 360, height: 640 });
  await page.getByRole('button', { name: 'Open menu' }).click();
  const menu = page.getByRole('dialog', { name: 'Fairlead' });
  await expect(menu.getByRole('heading', { level: 2 })).toHaveText([
    'Fairlead',
    'Main',
    'Deployments',
    'Configuration',
  ]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Test & Simulation' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Test & Simulation' })).toBeVisible();
});

test('a preflight reads a folder and sends nothing, and New Deployment goes on with it', async ({ page, folder }) => {
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

  await page.getByRole('button', { name: 'Go on to New Deployment' }).click();
  await expect(page).toHaveURL(/\/new-deployment$/);
  await expect(page.getByText('Private, and left out:')).toBeVisible();
});

test('what is live is seen with its address, its report, its figures and its files, by its owner alone', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(refusedCall(404, 'deployments.get'));
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  const site = await publishSite(account, 'lighthouse keeper', twentyPages());
  const { username, password } = newCredentials();
  const stranger = await openAccount(app.url, username, password);
  const foreign = await clientOf(stranger).deployments.create.mutate({ name: 'foreign', platform: 'built-in' });
  await seeDisclaimer(page);
  await logIn(page, credentials);

  await page.goto('/domains');
  const visit = page.getByRole('link', { name: 'Visit lighthouse keeper, opens in a new tab' });
  await expect(visit).toHaveAttribute('href', site.siteUrl);
  await page.goto('/diagnostics');
  await expect(page.getByText('Nothing known is wrong with lighthouse keeper')).toBeVisible();
  await expect(page.getByText('fetched from the host and compared')).toBeVisible();
  await page.goto('/analytics');
  await expect(page.getByRole('table', { name: 'Releases by deployment' })).toContainText('lighthouse keeper');

  await page.goto(`/deployment-editor/${site.deploymentId}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as ZIP' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('lighthouse keeper 1.zip');
  await page.goto(`/deployment-editor/${foreign.id}`);
  await expect(page.getByText('This deployment does not exist')).toBeVisible();
});
