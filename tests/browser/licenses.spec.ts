import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, newcomer, test } from './fixtures.ts';
import type { SharedApp } from './shared-app.ts';

const run = promisify(execFile);

/** Returns the output of the operator's command, on the machine of the running app. */
async function license(app: SharedApp, ...words: string[]): Promise<string> {
  // As npx does: the build has to make it executable.
  const { stdout } = await run('dist/server/fairlead.js', ['license', ...words], { env: app.env });
  return stdout.trim();
}

test('an operator hands out a plan: its key is redeemed once, handed on, taken back, redeemed by another, and ended', async ({
  page,
  app,
  browser,
}) => {
  const key = await license(app, 'create', '--plan', 'STANDARD', '--months', '12', '--note', 'The office');
  await newcomer(page);
  await page.goto('/license-management');
  await expect(page.getByText('No license keys yet.')).toBeVisible();
  const field = page.getByLabel('License key', { exact: true });
  await field.fill(`${key.slice(0, -1)}`);
  await page.getByRole('button', { name: 'Redeem', exact: true }).click();
  await expect(page.getByText('This is not a whole license key.')).toBeVisible();
  await field.fill(key.toLowerCase());
  await field.press('Enter');
  const held = page.getByRole('list', { name: 'License keys' });
  await expect(held).toContainText('Active');
  await expect(page.getByRole('heading', { name: 'Standard', exact: true })).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('table', { name: 'History' }).getByRole('row')).toHaveCount(3);

  await held.getByRole('button', { name: /^Transfer/ }).click();
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Copy the new key now' });
  const first = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await expect(held).toContainText('In transfer');
  await held.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('button', { name: 'Revoke transfer', exact: true }).click();
  await expect(held).toContainText('Active');

  await held.getByRole('button', { name: /^Transfer/ }).click();
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  const second = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  const context = await browser.newContext({ baseURL: app.url });
  const other = await context.newPage();
  await newcomer(other);
  await other.goto('/license-management');
  const otherField = other.getByLabel('License key', { exact: true });
  await otherField.fill(first);
  await otherField.press('Enter');
  await expect(other.getByText('This license key was revoked.')).toBeVisible();
  await otherField.fill(second);
  await otherField.press('Enter');
  const otherHeld = other.getByRole('list', { name: 'License keys' });
  await expect(otherHeld).toContainText('Active');
  // Told by an event: nobody has touched this page since.
  await expect(held).toContainText('Another account has redeemed it.');

  const [id = ''] = (await license(app, 'list')).split('  ');
  await license(app, 'revoke', id);
  await expect(otherHeld).toContainText('The operator of this Fairlead has ended it.');
  await expect(held).toContainText('Revoked');
  await context.close();
});
