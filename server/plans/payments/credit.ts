import type { ClientSession, QueryFilter } from 'mongoose';
import { PaymentModel, type PaymentRow } from '../../database/models/plans/payment.ts';

type Paid = Pick<
  PaymentRow,
  'amountCents' | 'taxCents' | 'refundedCents' | 'creditCents' | 'surplusCents' | 'startsAt' | 'endsAt'
>;
type Period = Pick<PaymentRow, 'startsAt' | 'endsAt'>;

/** Returns the payments with time left that no upgrade has credited or kept. */
export function unreplacedPayments(
  session: ClientSession,
  by: Pick<QueryFilter<PaymentRow>, 'accountId' | 'plan' | 'isTest' | 'currency'>,
  now: Date,
): Promise<PaymentRow[]> {
  return PaymentModel.find({ ...by, state: 'paid', replacedAt: null, endsAt: { $gt: now } })
    .session(session)
    .lean();
}

/**
 * Returns the unused part of earlier payments at `now`, in cents, to the millisecond of their periods. A credit that
 * reduced them counts as paid, and a tax does not. It is rounded up, in favour of the person.
 */
export function unusedCents(payments: readonly Paid[], now: Date): number {
  const left = payments.reduce((sum, payment) => sum + leftOf(payment, now), 0);
  return Math.max(0, Math.ceil(left - 1e-9));
}

/** Returns the unused milliseconds of payments. */
export function unusedMs(payments: readonly Period[], now: Date): number {
  return payments.reduce((sum, payment) => sum + msLeftOf(payment, now), 0);
}

function leftOf(payment: Paid, now: Date): number {
  const { amountCents, taxCents, refundedCents, creditCents, surplusCents, startsAt, endsAt } = payment;
  if (!startsAt || !endsAt) return 0;
  const unused = msLeftOf(payment, now) / (endsAt.getTime() - startsAt.getTime());
  const paid = Math.max(0, amountCents - (taxCents ?? 0) - (refundedCents ?? 0));
  return (paid + creditCents + (surplusCents ?? 0)) * unused;
}

function msLeftOf({ startsAt, endsAt }: Period, now: Date): number {
  if (!startsAt || !endsAt) return 0;
  return Math.max(0, endsAt.getTime() - Math.max(now.getTime(), startsAt.getTime()));
}
