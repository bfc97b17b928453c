import type { Page } from '@playwright/test';
import Stripe from 'stripe';
import { clientOf, openAccount } from '../support/api-account.ts';
import { startRealApp } from '../support/real-app.ts';
import { startStripe } from '../support/standins/stripe/index.ts';
import { make } from '../support/standins/stripe/objects.ts';
import { SECRET_KEY, WEBHOOK_SECRET } from '../support/standins/stripe/secrets.ts';
import { pay, type Session, sell } from '../support/standins/stripe/state.ts';
import { expectFits, SMALL } from './fits.ts';
import { expect, newcomerWithoutPlan, testWithOwn } from './fixtures.ts';

/** A Fairlead whose operator has set up Stripe, and a price in euros there. */
const test = testWithOwn(async () => {
  const stripe = await startStripe({ now: () => new Date() });
  const { state } = stripe;
  const price = {
    product: 'prod_own',
    lookup_key: 'fairlead_pro',
    currency: 'eur',
    unit_amount: 2750,
    isMonthly: true,
  };
  sell(state, price);
  const app = await startRealApp({
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_URL: stripe.apiUrl,
    EGRESS_ALLOW: '127.0.0.1/32',
  });
  // What is sold is made at Stripe, or found there, beside the start; and the stand-in learns its description at the first
  // answers, which on a busy machine takes longer than the app waits for one.
  const { payments } = clientOf(await openAccount(app.url, 'the first'));
  const isReady = () =>
    payments.checkout.mutate({ plan: 'PRO' }).then(
      () => true,
      () => false,
    );
  await expect.poll(isReady).toBe(true);
  await expect.poll(async () => (await fetch(app.url)).text()).toContain('PRO:2750:eur');
  return {
    ...app,
    stripe: state,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await stripe[Symbol.asyncDispose]();
      expect(stripe.drift).toEqual([]);
    },
  };
});

/** Stands for the pages of Stripe: each says where it leads back to. */
async function playPages(page: Page, leadsTo: (id: string) => string): Promise<void> {
  await page.route(/^https:\/\/(checkout|billing)\.stripe\.com\//, (route) => {
    const id = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    const body = `<!doctype html><title>Stripe</title><a href="${leadsTo(id)}">Back to Fairlead</a>`;
    return route.fulfill({ contentType: 'text/html', body });
  });
}

async function tell(url: string, session: Session): Promise<void> {
  const payload = JSON.stringify(make('event', { type: 'checkout.session.completed', data: { object: session } }));
  const header = new Stripe(SECRET_KEY).webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });
  const answer = await fetch(`${url}/api/payments/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': header },
    body: payload,
  });
  expect(answer.status).toBe(200);
}

test('a plan is paid for at Stripe in its currency, starts when Stripe says so, and is looked after there', async ({
  page,
  ownApp,
}) => {
  const { stripe, url } = ownApp;
  await newcomerWithoutPlan(page);
  await playPages(page, (id) => String(stripe.sessions.get(id)?.success_url ?? `${url}/account`));
  await page.goto('/subscription/pricing');
  await expect(page.getByText('€27.50')).toBeVisible();
  await expect(page.getByText('$12')).toBeVisible();
  await expect(page.getByText('test checkout')).toHaveCount(0);

  await page.getByRole('button', { name: 'Choose Pro', exact: true }).click();
  await page.waitForURL(/^https:\/\/checkout\.stripe\.com\//);
  const session = pay(stripe, page.url().split('/').at(-1) ?? '');
  await page.getByRole('link', { name: 'Back to Fairlead' }).click();
  await expect(page.getByRole('heading', { name: 'Your payment is not confirmed yet' })).toBeVisible();
  await page.setViewportSize(SMALL);
  await expectFits(page, 'awaited payment');
  await tell(url, session);
  await expect(page.getByRole('heading', { name: 'Your Pro plan is active' })).toBeVisible();

  await page.goto('/account');
  await expect(page.getByText(/^It renews on /).first()).toBeVisible();
  await expect(page.getByRole('list', { name: 'Receipts' })).toContainText('Pro, €27.50');
  await expectFits(page, 'account');
  await page.getByRole('button', { name: 'Manage payment' }).click();
  await page.waitForURL(/^https:\/\/billing\.stripe\.com\//);
  await page.getByRole('link', { name: 'Back to Fairlead' }).click();
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel plan' }).click();
  await expect(page.getByText(/^It is cancelled, and ends on /)).toBeVisible();
  expect([...stripe.subscriptions.values()]).toMatchObject([{ cancel_at_period_end: true }]);
});
