import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { isAbove, PAID_PLANS, PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { formatDate } from '../../lib/format.ts';

/**
 * Returns `It renews on 1 May.`, or the other event at the end of the period; null when no plan is active or could be
 * again.
 */
export function endLabel(subscription: Subscription): string | null {
  const { plan, status, endsAt, renews, cancelAtEnd, nextPlan } = subscription;
  if (status === 'past_due') return 'The payment that renews it failed. Choose another card under Manage payment.';
  if (!isActiveStatus(status)) return null;
  const end = formatDate(endsAt);
  if (status === 'trialing') return `The trial runs until ${end}. No automatic renewal.`;
  if (!renews) return `It runs until ${end}. No automatic renewal.`;
  if (cancelAtEnd) return `It is cancelled, and ends on ${end}.`;
  const renewal = formatDate(renewalOf(subscription));
  if (nextPlan !== null && nextPlan !== plan) return `It becomes ${PLANS[nextPlan].title} on ${renewal}.`;
  return renewal === end ? `It renews on ${end}.` : `It renews on ${renewal}. If that fails, you keep it until ${end}.`;
}

/** Returns the time of the next payment of a plan that renews. */
export function renewalOf({ renewsAt, endsAt }: Subscription): Date {
  return renewsAt ?? endsAt;
}

/** Returns the plans below one, the nearest first. */
export function smallerPlans(plan: PaidPlan): PaidPlan[] {
  return PAID_PLANS.filter((other) => isAbove(plan, other)).reverse();
}
