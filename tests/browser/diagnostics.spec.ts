import { publishSite } from '../support/api-account.ts';
import { expect, newcomer, seeDisclaimer, test } from './fixtures.ts';

test('a deployment is looked at by one press, its report survives a reload, and a link shows it to a stranger', async ({
  page,
  browser,
}) => {
  const account = await newcomer(page);
  await publishSite(account, 'lighthouse', { 'index.html': '<h1>Light</h1>' });

  await page.goto('/diagnostics');
  await page.getByRole('button', { name: 'Check lighthouse' }).click();
  const report = page.getByRole('region', { name: /^Report of lighthouse/ });
  await expect(report.getByText('with exactly the start page of the release')).toBeVisible();
  await expect(report.getByRole('button', { name: 'Share' })).toBeVisible();
  await report
    .getByText(/^Details, checked in/)
    .first()
    .click();
  await expect(report.getByText(/GET http/).first()).toBeVisible();
  await page.reload();
  await expect(report.getByText('with exactly the start page of the release')).toBeVisible();

  await report.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create a link' }).click();
  const link = dialog.getByText(/\/shared-report#/);
  const url = (await link.textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();
  const stranger = await browser.newPage({ viewport: { width: 360, height: 740 } });
  await seeDisclaimer(stranger);
  await stranger.goto(url);
  await expect(stranger.getByText('with exactly the start page of the release')).toBeVisible();
  expect(await stranger.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await stranger.close();

  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Check lighthouse' }).click();
  await expect(page.getByText('Deployment URL: pass')).toBeVisible();
});
