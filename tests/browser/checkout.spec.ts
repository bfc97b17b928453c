import type { Page } from '@playwright/test';
import { clientOf } from '../support/api-account.ts';
import { expect, newcomer, newcomerWithoutPlan, test } from './fixtures.ts';

/** Waits for the test checkout. */
async function seesCheckout(page: Page): Promise<void> {
  await page.waitForURL(/\/checkout\/test\/[0-9a-z]{20}$/);
  await expect(page.getByText('No money moves', { exact: true })).toBeVisible();
}

test('an address of success proves no payment, a declined one and a way back charge nothing, and one that is paid later comes by itself', async ({
  page,
  complaints,
}) => {
  // The server is asked for a payment that there is not, and the browser writes that down.
  complaints.allow(/status of 404/);
  await newcomerWithoutPlan(page);
  await page.goto(`/subscription/success?session_id=${'0'.repeat(20)}`);
  await expect(page.getByRole('heading', { name: 'No plan is active' })).toBeVisible();
  const choose = async () => {
    await page.getByRole('link', { name: 'See the plans' }).click();
    await page.getByRole('button', { name: 'Choose Standard', exact: true }).click();
    await seesCheckout(page);
  };
  await choose();
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.waitForURL(/\/subscription\/cancel\?session_id=[0-9a-z]{20}$/);
  await expect(page.getByRole('heading', { name: 'Nothing was charged' })).toBeVisible();
  await expect(page.getByText('The payment for Standard was declined, and no plan has started.')).toBeVisible();

  await choose();
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

test('a plan smaller than the trial is bought knowing its cap, an upgrade lifts that and is credited the unused time; its receipt is printed, it is canceled, resumed, and a smaller one waits', async ({
  page,
}) => {
  const order = page.getByRole('region', { name: 'Your order' });
  const pay = async (plan: string): Promise<void> => {
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await expect(page.getByRole('heading', { name: `Your ${plan} plan is active` })).toBeVisible();
    await page.getByRole('link', { name: 'See the receipt' }).click();
    await expect(page.getByText('Paid in the test checkout: no money has moved.')).toBeVisible();
  };
  const goTo = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
  const { deployments } = clientOf(await newcomer(page));
  for (const name of ['Harbour', 'Quay']) await deployments.create.mutate({ name, platform: 'built-in' });
  await page.goto('/subscription/pricing');
  await page.getByRole('button', { name: 'Choose Basic', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/“Harbour[^”]*” stays live and becomes read-only\./);
  await dialog.getByRole('button', { name: 'Continue to checkout' }).click();
  await seesCheckout(page);
  await expect(order).toContainText('Total$5.00');
  await pay('Basic');
  await goTo('New Deployment');
  await expect(page.getByText('Basic allows 1 deployment').first()).toBeVisible();

  await goTo('Pricing & Trial Beta');
  await page.getByRole('button', { name: 'Upgrade to Standard' }).click();
  await seesCheckout(page);
  await expect(order).toContainText('$12.00');
  await expect(order).toContainText('Unused time of your plan');
  await expect(order).toContainText('−$5.00');
  await pay('Standard');

  await page.getByRole('main').getByRole('link', { name: 'Account' }).click();
  await expect(page.getByText('2 deployments of 3.')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel plan' }).click();
  await expect(page.getByText(/^It is cancelled, and ends on /)).toBeVisible();
  await page.getByRole('button', { name: 'Keep Standard' }).click();
  await expect(page.getByText(/^It renews on /).first()).toBeVisible();
  await page.getByRole('list', { name: 'Receipts' }).getByRole('link').first().click();
  await page.waitForURL(/\/receipts\/[0-9a-z]{20}$/);
  await expect(page.getByText('Paid in the test checkout: no money has moved.', { exact: true })).toBeVisible();
  await seesPrinted(page);
  await goTo('Active Deployments');
  await expect(page.getByRole('link', { name: 'Quay' }).first()).toBeVisible();
  await expect(page.getByRole('table', { name: 'Deployments' })).not.toContainText('Read-only');

  await goTo('Pricing & Trial Beta');
  const basic = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Basic', exact: true }) });
  await basic.getByRole('button', { name: 'Choose Basic' }).click();
  await dialog.getByRole('button', { name: 'Choose Basic' }).click();
  await expect(basic.getByText(/^Basic begins on /)).toBeVisible();
  await expect(basic.getByRole('button')).toBeDisabled();
});

/** Prints a receipt: nothing around it is on the paper, which is white in a dark theme as well. */
async function seesPrinted(page: Page): Promise<void> {
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
}
