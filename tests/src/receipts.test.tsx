import { beforeEach, expect, test, vi } from 'vitest';
import type { License } from '../../routers/schemas/licenses.ts';
import type { Payment } from '../../routers/schemas/payments.ts';
import { signInAs } from '../../src/api/user.ts';
import { ReceiptList } from '../../src/features/payments/receipt-list.tsx';
import { ReceiptScreen } from '../../src/screens/receipt.tsx';
import { refusal, showScreen } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';

const day = (number: number) => new Date(Date.UTC(2030, 0, number, 12));

function paymentOf(fields: Partial<Payment> = {}): Payment {
  return {
    ...{ id: 'bought', plan: 'STANDARD', months: 1, amountCents: 700, creditCents: 500, extraDays: 0 },
    ...{ currency: 'usd', taxCents: 0, refundedCents: 0 },
    ...{ state: 'paid', isProcessing: false, isRenewal: false, isTest: true },
    ...{ createdAt: day(1), expiresAt: day(2), paidAt: day(1), period: { startsAt: day(1), endsAt: day(31) } },
    ...fields,
  };
}

const license: License = {
  ...{ id: 'key', prefix: 'FL-12345', plan: 'PRO', status: 'running', history: [] },
  ...{ startsAt: day(3), endsAt: day(30), redeemedAt: day(3) },
};

beforeEach(() => signInAs(ada));

const place = { pattern: '/receipts/:paymentId', path: '/receipts/bought' };

test('payments, renewals, refunds and license keys are listed as what they are, newest first', async () => {
  const payments = [
    paymentOf({ id: 'late', isProcessing: true, paidAt: null, period: null, state: 'pending', createdAt: day(5) }),
    paymentOf({ id: 'renewed', isRenewal: true, paidAt: day(4) }),
    paymentOf({ id: 'returned', state: 'refunded', isTest: false, paidAt: day(2) }),
    paymentOf(),
  ];
  using shown = showScreen(<ReceiptList />, {
    'payments.list': () => ({ items: payments, hasPortal: false }),
    'licenses.list': () => ({ items: [license] }),
  });
  await shown.sees('License key FL-12345… redeemed on Jan 3, 2030. Nothing was charged.');
  expect(shown.rows('Receipts').map((row) => row.replace(/ on Jan .*/, ''))).toEqual([
    'Standard, $7.00Payment started',
    expect.stringContaining('Renewal'),
    'ProLicense key FL-12345… redeemed',
    expect.stringContaining('Refunded payment'),
    expect.stringContaining('Standard, $7.00'),
  ]);
  expect(shown.page.textContent).toContain('Payment started on Jan 5, 2030. It has not arrived yet.');
  expect(shown.page.textContent).not.toContain('What you paid');
  expect(shown.linkTo('Receipt of Standard, $7.00, Jan 1, 2030')).toBe('/receipts/bought');
  expect(shown.linkTo('Receipt of Standard, $7.00, Jan 5, 2030')).toBeUndefined();
});

test('whoever paid at a payment service looks after it there, and nobody else is led there', async () => {
  const assign = vi.fn();
  Object.defineProperty(location, 'assign', { configurable: true, value: assign });
  const answers = {
    'payments.list': () => ({ items: [paymentOf({ isTest: false })], hasPortal: true }),
    'licenses.list': () => ({ items: [] }),
    'payments.portal': () => ({ url: 'https://billing.example/session' }),
  };
  using shown = showScreen(<ReceiptList />, answers);
  await shown.sees('Standard, $7.00');
  shown.button('Manage payment').click();
  await vi.waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://billing.example/session'));
  Reflect.deleteProperty(location, 'assign');

  const without = { ...answers, 'payments.list': () => ({ items: [paymentOf()], hasPortal: false }) };
  using other = showScreen(<ReceiptList />, without);
  await other.sees('Standard, $7.00');
  expect(other.page.textContent).not.toContain('Manage payment');
});

test('a receipt of real money names its tax, its currency and what was returned of it', async () => {
  const real = { isTest: false, currency: 'eur', amountCents: 833, creditCents: 0, taxCents: 133, refundedCents: 200 };
  using shown = showScreen(<ReceiptScreen />, { 'payments.get': () => paymentOf(real) }, place);
  await shown.sees('€8.33');
  for (const text of ['Price€7.00', 'Tax€1.33', 'Total€8.33', 'Refunded€2.00']) {
    expect(shown.page.textContent).toContain(text);
  }
  expect(shown.page.textContent).not.toContain('no money');
});

test('a receipt says what was paid by whom for what, that no money moved, and is printed', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  using shown = showScreen(<ReceiptScreen />, { 'payments.get': () => paymentOf({ extraDays: 3 }) }, place);
  await shown.sees('Paid in the test checkout: no money has moved.');
  for (const text of [ada.username, ada.email, 'bought', '$12.00', '−$5.00', '$7.00', '+3 days', 'Jan 31, 2030']) {
    expect(shown.page.textContent).toContain(text);
  }
  shown.button('Print').click();
  expect(print).toHaveBeenCalledTimes(1);
});

test.each([
  ['of a payment that there is not', () => refusal('not_found', 'This payment does not exist.'), 'does not exist'],
  ['of what was never paid', () => paymentOf({ state: 'failed', paidAt: null }), 'Nothing has been paid'],
  [
    'yet of what is on its way',
    () => paymentOf({ state: 'pending', isProcessing: true, paidAt: null }),
    'Your payment is on its way. The receipt appears here once it has arrived.',
  ],
] as const)('there is no receipt %s', async (_what, answer, text) => {
  const answers = {
    'payments.get': () => {
      const given = answer();
      if (given instanceof Error) throw given;
      return given;
    },
  };
  using shown = showScreen(<ReceiptScreen />, answers, place);
  await shown.sees(text);
  expect([...shown.page.querySelectorAll('button')].map(({ textContent }) => textContent)).not.toContain('Print');
});
