import { IS_FULL } from '../support/size.ts';
import { expectFits, SMALL } from './fits.ts';
import { expect, newcomerWithoutPlan, test } from './fixtures.ts';

/** Basic and Standard are bought in checkout.spec.ts, and Pro is like Beta without its badge. */
const BOUGHT = [['Beta', '$10.00'] as const, ...(IS_FULL ? [['Pro', '$29.00'] as const] : [])];

for (const [plan, price] of BOUGHT) {
  test(`${plan} is bought and is there everywhere; plans, checkout, receipts and terms fit a small telephone in both themes`, async ({
    page,
  }) => {
    await page.setViewportSize(SMALL);
    await newcomerWithoutPlan(page);
    await page.goto('/subscription/pricing');
    await page.getByRole('button', { name: `Choose ${plan}`, exact: true }).click();
    await expect(page.getByRole('region', { name: 'Your order' })).toContainText(`Total${price}`);
    await expectFits(page, 'checkout');
    await page.getByRole('link', { name: 'Refunds' }).click();
    await expect(page.getByRole('heading', { name: 'Refunds', level: 1 })).toBeVisible();
    await expectFits(page, 'refunds');
    await page.goBack();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await expect(page.getByRole('heading', { name: `Your ${plan} plan is active` })).toBeVisible();
    await expectFits(page, 'success');
    await page.getByRole('link', { name: 'See the receipt' }).click();
    await expect(page.getByText('Paid in the test checkout: no money has moved.')).toBeVisible();
    await expect(page.getByText(price).first()).toBeVisible();
    await expectFits(page, 'payment');
    await page.getByRole('main').getByRole('link', { name: 'Account' }).click();
    await expect(page.getByText('0 deployments. Your plan has no limit.')).toBeVisible();
    await expect(page.getByText('Beta Tester')).toHaveCount(plan === 'Beta' ? 1 : 0);
    const receipt = page.getByRole('list', { name: 'Receipts' }).getByRole('link');
    await expect(receipt).toBeVisible();
    await expectFits(page, 'account');
    await receipt.click();
    await expect(page.getByText('Total')).toBeVisible();
    await expectFits(page, 'receipt');
    for (const path of ['/pricing', '/license-management', '/subscription/terms', '/subscription/privacy']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      if (path === '/pricing') await expect(page.locator('li[aria-current=true]')).toContainText('Your plan');
      await expectFits(page, path);
    }
  });
}
