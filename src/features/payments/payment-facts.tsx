import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { Payment } from '../../../routers/schemas/payments.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import type { Fact } from '../../components/lists/fact-list.tsx';
import { formatDate } from '../../lib/format.ts';
import { formatCents } from '../../lib/prices.ts';
import { trialEndText } from '../../lib/trial-end.ts';

/** Returns the kind of a payment, by the server's data. */
export function kindOf({ isRenewal, state, isProcessing }: Payment): string {
  if (state === 'refunded') return 'Refunded payment';
  if (isProcessing) return 'Payment started';
  return isRenewal ? 'Renewal' : 'Payment';
}

/** Returns a sentence about where the money came from, or that there was none. */
export function paidText({ isTest, amountCents, isProcessing }: Payment): string {
  if (isProcessing) return `It has not arrived yet.${isTest ? ' In the test checkout no money moves.' : ''}`;
  if (isTest) return 'Paid in the test checkout: no money has moved.';
  return amountCents === 0 ? 'Covered by the unused time of your plan: nothing was charged.' : '';
}

/** Returns the facts of the order, with the credit for the rest of a smaller plan. */
export function orderFacts({
  plan,
  months,
  amountCents,
  currency,
  taxCents,
  creditCents,
  refundedCents,
  extraDays,
}: Payment): Fact[] {
  return [
    { name: 'Plan', value: PLANS[plan].title },
    { name: 'Length', value: months === 1 ? '1 month' : `${months} months` },
    { name: 'Price', value: formatCents(amountCents - taxCents + creditCents, currency) },
    ...(creditCents === 0
      ? []
      : [{ name: 'Unused time of your plan', value: `−${formatCents(creditCents, currency)}` }]),
    ...(extraDays === 0 ? [] : [{ name: 'Added to the new plan', value: `+${formatCount(extraDays, 'day')}` }]),
    ...(taxCents === 0 ? [] : [{ name: 'Tax', value: formatCents(taxCents, currency) }]),
    { name: 'Total', value: formatCents(amountCents, currency), isTotal: true },
    ...(refundedCents === 0 ? [] : [{ name: 'Refunded', value: formatCents(refundedCents, currency) }]),
  ];
}

/** Returns when an order of the test checkout starts, what becomes of a running trial, and whether it renews. */
export function startText(plan: PaidPlan, running: Subscription | null): string {
  const { dollars, title } = PLANS[plan];
  const renewal =
    plan === 'BETA'
      ? `${title} does not renew.`
      : `${title} renews each month for $${dollars}, until you cancel it in Account.`;
  const trialEnd = trialEndText(plan, running);
  return trialEnd === null ? renewal : `${trialEnd} ${renewal}`;
}

/** Returns the facts of a receipt: when it was paid and for which time, then the order, whose total comes last. */
export function receiptFacts(payment: Payment): Fact[] {
  const { id, paidAt, period } = payment;
  return [
    { name: 'Receipt', value: <span className="font-mono">{id}</span> },
    ...(paidAt === null ? [] : [{ name: 'Paid', value: formatDate(paidAt) }]),
    ...(period === null
      ? []
      : [{ name: 'Period', value: `${formatDate(period.startsAt)} – ${formatDate(period.endsAt)}` }]),
    ...orderFacts(payment),
  ];
}
