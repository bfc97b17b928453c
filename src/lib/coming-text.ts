import { PLANS } from '../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../routers/schemas/plans.ts';

/** Returns the words about a payment that was confirmed and has not arrived, without a full stop. */
export function comingText(plan: PaidPlan): string {
  return `Your payment for ${PLANS[plan].title} is on its way`;
}
