import { clientOf, publishSite } from '../support/api-account.ts';
import { setsOf, startDomainLab } from '../support/domain-lab.ts';
import { startRealApp } from '../support/real-app.ts';
import { askHttp1 } from '../support/tls-visitor.ts';
import { expect, newcomer, test } from './fixtures.ts';

test('a domain is added as it was pasted, proved by its records, served, broken by another hand, and removed', async ({
  page,
}) => {
  await using lab = await startDomainLab();
  await lab.zone('harbour.test');
  await using app = await startRealApp({ ...lab.env, SITES_ADDRESSES: '127.0.0.1' });
  const account = await newcomer(page, app.url);
  await publishSite(account, 'harbour', { 'index.html': '<h1>Harbour</h1>' });

  await page.goto(`${app.url}/domains`);
  await page.getByRole('button', { name: 'Add a domain' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Domain').fill('not a domain');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await expect(dialog.getByText('Type a domain name like example.com')).toBeVisible();
  await dialog.getByLabel('Domain').fill('HTTPS://Harbour.Test/menu');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'harbour.test' })).toBeVisible();
  await expect(page.getByText('Waiting for proof')).toBeVisible();

  const [domain] = (await clientOf(account).domains.list.query({})).items;
  await lab.write('harbour.test', setsOf(domain?.records ?? []));
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expect(page.getByText('Seen by 2 of 2 servers').first()).toBeVisible();
  await expect(page.getByText('Browsers do not trust the certificates of this Fairlead yet')).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByText('Issued', { exact: true })).toBeVisible({ timeout: 60_000 });
  // The host reads a certificate when the change feed reports it, a moment after the page does.
  const visit = () => askHttp1(Number(app.env.SITES_TLS_PORT), 'harbour.test', '/').catch(String);
  await expect.poll(visit).toContain('Harbour');
  await page.getByRole('button', { name: 'Actions for the certificate of harbour.test' }).click();
  const chain = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download the chain' }).click();
  expect((await chain).suggestedFilename()).toBe('harbour.test.pem');

  await lab.write('harbour.test', { 'harbour.test A': ['127.0.0.9'] });
  // Another request within a second of the last check gets the result of that one.
  await expect(async () => {
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(page.getByText('Needs attention')).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(page.getByText('127.0.0.9').first()).toBeVisible();
  // The last of them may still be under way, and would not find the domain any more.
  await expect(page.getByRole('button', { name: 'Check now' })).toBeEnabled();
  await page.waitForLoadState('networkidle');

  await page.getByRole('button', { name: 'Actions for harbour.test' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('TXT _fairlead.harbour.test')).toBeVisible();
  await page.getByRole('link', { name: 'Back to your domains' }).click();
  await expect(page).toHaveURL(/\/domains$/);
  await expect(page.getByText('No domains yet.')).toBeVisible();
  // Before the app of this test ends, which the page would complain about.
  await page.close();
});
