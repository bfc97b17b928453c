import { afterEach, expect, test } from 'vitest';
import type { Payment } from '../../routers/schemas/payments.ts';
import { TestCheckoutScreen } from '../../src/screens/checkout/test.tsx';
import { showScreen } from '../support/screen.tsx';

afterEach(() => document.head.replaceChildren());

const PLACE = { pattern: '/checkout/test/:paymentId', path: '/checkout/test/one' };
const payment: Payment = {
  id: 'one',
  plan: 'PRO',
  months: 1,
  amountCents: 2900,
  currency: 'usd',
  taxCents: 0,
  creditCents: 0,
  refundedCents: 0,
  extraDays: 0,
  isRenewal: false,
  state: 'pending',
  isProcessing: false,
  isTest: true,
  createdAt: new Date('2030-01-01T12:00:00Z'),
  expiresAt: new Date('2030-01-02T12:00:00Z'),
  paidAt: null,
  period: null,
};

test('the test checkout says that no money moves, of its own payments alone', async () => {
  using own = showScreen(<TestCheckoutScreen />, { 'payments.get': () => payment }, PLACE);
  await own.sees('Your order');
  expect(own.page.textContent).toContain('No money moves');

  using other = showScreen(<TestCheckoutScreen />, { 'payments.get': () => ({ ...payment, isTest: false }) }, PLACE);
  await other.sees('This payment is made on the page of the payment service.');
  expect(other.page.textContent).not.toContain('No money moves');
  expect(other.page.querySelectorAll('button')).toHaveLength(0);
});

test('once a payment service takes the money, an open test payment cannot be paid, and leads to the plans', async () => {
  document.head.innerHTML = '<meta name="fairlead-checkout" content="BASIC:500:usd">';
  using shown = showScreen(<TestCheckoutScreen />, { 'payments.get': () => payment }, PLACE);
  await shown.sees('This payment was begun in the test checkout, which is closed. Nothing was charged.');
  expect(shown.linkTo('See the plans')).toBe('/subscription/pricing');
  expect(shown.page.textContent).not.toContain('No money moves');
  expect(shown.page.querySelectorAll('button')).toHaveLength(0);
});
