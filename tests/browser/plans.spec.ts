import type { Page } from '@playwright/test';
import { clientOf } from '../support/api-account.ts';
import { expectFits, SMALL } from './fits.ts';
import { expect, newcomer, newcomerWithoutPlan, test } from './fixtures.ts';

/** Buys a plan in the test checkout, from the page with the plans. */
async function buy(page: Page, button: string): Promise<void> {
  await page.goto('/subscription/pricing');
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.waitForURL(/\/subscription\/success/);
  await expect(page.getByRole('heading', { name: /plan is active$/ })).toBeVisible();
}

test('a plan is canceled and resumed, and its receipt is printed without what stands around it', async ({ page }) => {
  await newcomerWithoutPlan(page);
  await buy(page, 'Choose Standard');
  await page.goto('/account');
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel plan' }).click();
  await expect(page.getByText(/^It is cancelled, and ends on /)).toBeVisible();
  await page.getByRole('button', { name: 'Keep Standard' }).click();
  await expect(page.getByText(/^It renews on /).first()).toBeVisible();

  await page.getByRole('list', { name: 'Receipts' }).getByRole('link').click();
  await page.waitForURL(/\/receipts\/[0-9a-z]{20}$/);
  await expect(page.getByText('Payment. Paid in the test checkout: no money has moved.')).toBeVisible();
  await page.evaluate(() => {
    document.documentElement.setAttribute('data-theme', 'dark');
    window.print = () => document.body.setAttribute('data-printed', 'yes');
  });
  await page.getByRole('button', { name: 'Print' }).click();
  await expect(page.locator('body')).toHaveAttribute('data-printed', 'yes');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText('Total')).toBeVisible();
  for (const hidden of [
    page.getByRole('navigation', { name: 'Main' }),
    page.getByRole('button', { name: 'Print' }),
    page.getByRole('button', { name: 'Rate Your Experience' }),
    page.getByRole('link', { name: 'Back to Account' }),
  ]) {
    await expect(hidden).toBeHidden();
  }
  const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(paper).toMatch(/^(oklch\(1 0 0\)|rgb\(255, 255, 255\))$/);
  await page.emulateMedia({ media: 'screen' });
});

test('a cap is reached and lifted, and the checkout of a smaller plan than the trial says what becomes read-only', async ({
  page,
}) => {
  const { deployments } = clientOf(await newcomer(page));
  for (const name of ['Harbour', 'Quay']) await deployments.create.mutate({ name, platform: 'built-in' });
  await page.goto('/subscription/pricing');
  await page.getByRole('button', { name: 'Choose Basic', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(
    'Basic allows 1 deployment, and you have 2. Harbour stays live and becomes read-only.',
  );
  await dialog.getByRole('button', { name: 'Continue to checkout' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Your Basic plan is active' })).toBeVisible();
  await page.goto('/new-deployment');
  await expect(page.getByText('The one deployment on Basic is in use')).toBeVisible();
  await buy(page, 'Upgrade to Standard');
  await page.goto('/new-deployment');
  await expect(page.getByText('The one deployment on Basic is in use')).toBeHidden();
  await page.goto('/deployments');
  await expect(page.getByRole('table', { name: 'Deployments' })).not.toContainText('Read-only');
});

test('plans, checkout, receipts and terms fit a small telephone in both themes', async ({ page }) => {
  await page.setViewportSize(SMALL);
  await newcomerWithoutPlan(page);
  await page.goto('/subscription/pricing');
  await page.getByRole('button', { name: 'Choose Beta', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Your order' })).toBeVisible();
  await expectFits(page, 'checkout');
  await page.getByRole('link', { name: 'Refunds' }).click();
  await expect(page.getByRole('heading', { name: 'Refunds', level: 1 })).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Your Beta plan is active' })).toBeVisible();
  await expectFits(page, 'success');
  for (const path of ['/pricing', '/license-management', '/subscription/terms', '/subscription/privacy', '/account']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectFits(page, path);
  }
  await page.getByRole('list', { name: 'Receipts' }).getByRole('link').click();
  await expect(page.getByText('Total')).toBeVisible();
  await expectFits(page, 'receipt');
});
