import { PLANS } from '../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../routers/schemas/plans.ts';

/** `$9.50`. Of a currency without hundredths, such as the yen, the unit itself is counted. */
export function formatCents(cents: number, currency: string, trailingZeroDisplay?: 'stripIfInteger'): string {
  const options = { style: 'currency', currency: currency.toUpperCase(), trailingZeroDisplay } as const;
  const format = new Intl.NumberFormat('en', options);
  return format.format(cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Whether no payment service is set up, so that plans are had without money: as the server wrote it into the page. */
export function isTestCheckout(): boolean {
  const content = written();
  return content === 'test' || content === PLACEHOLDER;
}

/** What a plan costs and how often, `$5` and `a month`: as the payment service has it, whose currency may be another. */
export function priceOf(plan: PaidPlan): { amount: string; period: string } {
  const [amount = '', ...period] = PLANS[plan].price.split(' ');
  const own = written()
    .split(' ')
    .find((one) => one.startsWith(`${plan}:`));
  const [, cents, currency] = own?.split(':') ?? [];
  return {
    amount:
      cents === undefined || currency === undefined ? amount : formatCents(Number(cents), currency, 'stripIfInteger'),
    period: period.join(' '),
  };
}

const PLACEHOLDER = '__CHECKOUT__';

function written(): string {
  return document.querySelector('meta[name="fairlead-checkout"]')?.getAttribute('content') ?? PLACEHOLDER;
}
