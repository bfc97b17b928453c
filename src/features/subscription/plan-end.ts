import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { isAbove, PAID_PLANS, PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { formatDate } from '../../lib/format.ts';

/** `It renews on 1 May.`, or what else comes at the end of the period; null where no plan is active or could be again. */
export function endLabel({ plan, status, endsAt, renews, cancelAtEnd, nextPlan }: Subscription): string | null {
  if (status === 'past_due') return 'The payment that renews it failed. Choose another card under Manage payment.';
  if (!isActiveStatus(status)) return null;
  const end = formatDate(endsAt);
  if (status === 'trialing') return `The trial runs until ${end}. No automatic renewal.`;
  if (!renews) return `It runs until ${end}. No automatic renewal.`;
  if (cancelAtEnd) return `It is canceled, and ends on ${end}.`;
  return nextPlan === null || nextPlan === plan
    ? `It renews on ${end}.`
    : `It becomes ${PLANS[nextPlan].title} on ${end}.`;
}

/** The plans below one, the nearest first. */
export function smallerPlans(plan: PaidPlan): PaidPlan[] {
  return PAID_PLANS.filter((other) => isAbove(plan, other)).reverse();
}
