import type { Page } from '@playwright/test';
import { IS_FULL } from '../support/size.ts';
import { expect, newcomerWithoutPlan, test } from './fixtures.ts';

async function openCheckout(page: Page, button: string): Promise<void> {
  await page.goto('/subscription/pricing');
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.waitForURL(/\/checkout\/test\/[0-9a-z]{20}$/);
  await expect(page.getByText('No money moves', { exact: true })).toBeVisible();
}

/** Basic and Standard are bought below, and Pro is like Beta without its badge. */
const BOUGHT = [['Beta', '$10.00'] as const, ...(IS_FULL ? [['Pro', '$29.00'] as const] : [])];

for (const [plan, price] of BOUGHT) {
  test(`${plan} is bought in the test checkout, and is there everywhere`, async ({ page }) => {
    await newcomerWithoutPlan(page);
    await openCheckout(page, `Choose ${plan}`);
    await expect(page.getByRole('region', { name: 'Your order' })).toContainText(`Total${price}`);
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await expect(page.getByRole('heading', { name: `Your ${plan} plan is active` })).toBeVisible();
    await page.getByRole('link', { name: 'See the receipt' }).click();
    await expect(page.getByText('Paid in the test checkout: no money has moved.')).toBeVisible();
    await expect(page.getByText(price).first()).toBeVisible();
    await page.goto('/pricing');
    await expect(page.locator('li[aria-current=true]')).toContainText('Your plan');
    await page.goto('/account');
    await expect(page.getByText('0 deployments. Your plan has no limit.')).toBeVisible();
    await expect(page.getByText('Beta Tester')).toHaveCount(plan === 'Beta' ? 1 : 0);
  });
}

test('a declined payment and a way back charge nothing; what is paid later comes by itself', async ({ page }) => {
  await newcomerWithoutPlan(page);
  await openCheckout(page, 'Choose Standard');
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.waitForURL(/\/subscription\/cancel\?session_id=[0-9a-z]{20}$/);
  await expect(page.getByRole('heading', { name: 'Nothing was charged' })).toBeVisible();
  await expect(page.getByText('The payment for Standard was declined, and no plan has started.')).toBeVisible();

  await openCheckout(page, 'Choose Standard');
  const address = page.url();
  await page.getByRole('link', { name: 'Go back' }).click();
  await expect(page.getByRole('heading', { name: 'Not paid yet' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to the checkout' }).click();
  await page.waitForURL(address);

  await page.getByRole('button', { name: 'Pay later' }).click();
  await expect(page.getByRole('heading', { name: 'Your payment is on its way' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Your payment is on its way' })).toBeVisible();
});

test('being at the address of success proves no payment', async ({ page, complaints }) => {
  // The server is asked for a payment that there is not, and the browser writes that down.
  complaints.allow(/status of 404/);
  await newcomerWithoutPlan(page);
  await page.goto(`/subscription/success?session_id=${'0'.repeat(20)}`);
  await expect(page.getByRole('heading', { name: 'No plan is active' })).toBeVisible();
});

test('an upgrade is credited the unused time, and a smaller plan waits', async ({ page }) => {
  const order = page.getByRole('region', { name: 'Your order' });
  const pay = async (plan: string): Promise<void> => {
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await expect(page.getByRole('heading', { name: `Your ${plan} plan is active` })).toBeVisible();
  };
  await newcomerWithoutPlan(page);
  await openCheckout(page, 'Choose Basic');
  await expect(order).toContainText('Total$5.00');
  await pay('Basic');
  await page.goto('/account');
  await expect(page.getByText('0 deployments of 1.')).toBeVisible();
  await openCheckout(page, 'Upgrade to Standard');
  await expect(order).toContainText('$12.00');
  await expect(order).toContainText('Unused time of your plan');
  await expect(order).toContainText('−$5.00');
  await pay('Standard');
  await page.goto('/account');
  await expect(page.getByText('0 deployments of 3.')).toBeVisible();
  await page.goto('/pricing');
  const basic = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Basic', exact: true }) });
  await basic.getByRole('button', { name: 'Choose Basic' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Choose Basic' }).click();
  await expect(basic.getByText(/^Basic begins on /)).toBeVisible();
  await expect(basic.getByRole('button')).toBeDisabled();
});
