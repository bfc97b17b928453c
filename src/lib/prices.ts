import { BETA_MONTHS } from '../../routers/schemas/limits.ts';
import { PLANS } from '../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../routers/schemas/plans.ts';

/** Formats a price like `$9.50`. A currency without hundredths, such as the yen, is counted in its unit. */
export function formatCents(cents: number, currency: string, trailingZeroDisplay?: 'stripIfInteger'): string {
  const options = { style: 'currency', currency: currency.toUpperCase(), trailingZeroDisplay } as const;
  const format = new Intl.NumberFormat('en', options);
  return format.format(cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Returns whether no payment service is set up, so that plans cost nothing; the server writes this into the page. */
export function isTestCheckout(): boolean {
  const content = written();
  return content === 'test' || content === PLACEHOLDER;
}

/**
 * Returns the price of a plan and its period, `$5` and `a month`, from the payment service, whose currency may differ.
 */
export function priceOf(plan: PaidPlan): { amount: string; period: string } {
  const { cents, currency } = chargeOf(plan);
  return { amount: formatCents(cents, currency, 'stripIfInteger'), period: PLANS[plan].period };
}

/**
 * Returns the offer of the beta, at the present price: `Beta testers pay $10 once for 6 months of Pro features, over
 * 90% off`. The discount is only stated while it is true for the price of Pro, in one currency.
 */
export function betaOffer(): string {
  const discount = isBetaOver90PercentOff() ? ', over 90% off' : '';
  return `Beta testers pay ${priceOf('BETA').amount} once for ${BETA_MONTHS} months of Pro features${discount}`;
}

export function isBetaOver90PercentOff(): boolean {
  const [beta, pro] = [chargeOf('BETA'), chargeOf('PRO')];
  return beta.currency === pro.currency && beta.cents < (pro.cents * BETA_MONTHS) / 10;
}

function chargeOf(plan: PaidPlan): { cents: number; currency: string } {
  const own = written()
    .split(' ')
    .find((one) => one.startsWith(`${plan}:`));
  const [, cents = PLANS[plan].dollars * 100, currency = 'usd'] = own?.split(':') ?? [];
  return { cents: Number(cents), currency };
}

const PLACEHOLDER = '__CHECKOUT__';

function written(): string {
  return document.querySelector('meta[name="fairlead-checkout"]')?.getAttribute('content') ?? PLACEHOLDER;
}
