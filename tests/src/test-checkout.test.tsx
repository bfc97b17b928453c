import { afterEach, expect, test } from 'vitest';
import type { Payment } from '../../routers/schemas/payments.ts';
import { LeftCheckoutView } from '../../src/features/payments/left-checkout.tsx';
import { TestCheckoutScreen } from '../../src/screens/checkout/test.tsx';
import { SubscriptionCancelScreen } from '../../src/screens/subscription/cancel.tsx';
import { showScreen } from '../support/screen.tsx';
import { trial } from '../support/screen-fixtures.ts';

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
  using own = showScreen(
    <TestCheckoutScreen />,
    { 'payments.get': () => payment, 'subscription.get': () => null },
    PLACE,
  );
  await own.sees('Your order');
  expect(own.page.textContent).toContain('No money moves');
  // They stand in the footer of the layout, and would be there twice.
  expect(own.linkTo('Refunds')).toBeUndefined();

  using other = showScreen(<TestCheckoutScreen />, { 'payments.get': () => ({ ...payment, isTest: false }) }, PLACE);
  await other.sees('This payment is made on the page of the payment service.');
  expect(other.page.textContent).not.toContain('No money moves');
  expect(other.page.querySelectorAll('button')).toHaveLength(0);

  using over = showScreen(<TestCheckoutScreen />, { 'payments.get': () => ({ ...payment, state: 'failed' }) }, PLACE);
  await over.sees('This checkout has ended. Nothing was charged.');
  expect(over.page.textContent).not.toContain('No money moves');
});

test('once a payment service takes the money, an open test payment cannot be paid, and leads to the plans', async () => {
  document.head.innerHTML = '<meta name="fairlead-checkout" content="BASIC:500:usd">';
  using shown = showScreen(<TestCheckoutScreen />, { 'payments.get': () => payment }, PLACE);
  await shown.sees('This payment was begun in the test checkout, which is closed. Nothing was charged.');
  expect(shown.linkTo('See the plans')).toBe('/subscription/pricing');
  expect(shown.page.textContent).not.toContain('No money moves');
  expect(shown.page.querySelectorAll('button')).toHaveLength(0);
});

test.each([
  ['BASIC', trial, 'When you pay, Basic starts and your Pro trial ends. Basic renews each month for $5,'],
  ['PRO', trial, 'Once paid, Pro starts on Jan 15, 2030, when your trial ends. Pro renews each month for $29,'],
  ['BETA', trial, 'When you pay, Beta starts and your Pro trial ends. Beta does not renew.'],
  ['BASIC', null, 'Basic renews each month for $5, until you cancel it in Account.'],
] as const)('before %s is paid it is said what ends and what renews: %#', async (plan, subscription, text) => {
  const answers = { 'payments.get': () => ({ ...payment, plan }), 'subscription.get': () => subscription };
  using shown = showScreen(<TestCheckoutScreen />, answers, PLACE);
  await shown.sees(text);
});

const LEFT = { pattern: '/subscription/cancel', path: '/subscription/cancel?session_id=one' };

test.each([
  [{}, 'Not paid yet'],
  [{ isTest: false }, 'Not paid yet'],
  [{ state: 'failed' }, 'The payment for Pro was declined, and no plan has started.'],
  [{ state: 'expired' }, 'This checkout for Pro has ended, and no plan has started.'],
] as const)('of a checkout that was left with %o the server says what became of it', async (change, text) => {
  const left = { ...payment, ...change };
  using shown = showScreen(<LeftCheckoutView paymentId="one" otherwise={null} />, { 'payments.get': () => left }, LEFT);
  await shown.sees(text);
  expect(shown.page.querySelectorAll('button')).toHaveLength(left.state === 'pending' ? 1 : 0);
});

test('whoever paid after all is led to the plan', async () => {
  const paid = { ...payment, state: 'paid' as const };
  using shown = showScreen(<LeftCheckoutView paymentId="one" otherwise={null} />, { 'payments.get': () => paid }, LEFT);
  await shown.sees('Elsewhere');
  expect(location.pathname + location.search).toBe('/subscription/success?session_id=one');
});

test('the address of a checkout that was left says nothing of a payment by itself', async () => {
  using shown = showScreen(<SubscriptionCancelScreen />, {}, { ...LEFT, path: '/subscription/cancel' });
  await shown.sees('Nothing is charged before you pay');
  expect(shown.page.textContent).not.toMatch(/was charged/);
});
