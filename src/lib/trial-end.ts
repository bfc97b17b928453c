import { PLANS } from '../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../routers/schemas/plans.ts';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { formatDate } from './format.ts';

/**
 * Returns the sentence on a running trial when a plan is paid: the same plan goes on where the trial ends, and any
 * other replaces it. Null when no trial runs.
 */
export function trialEndText(plan: PaidPlan, running: Subscription | null): string | null {
  if (running?.status !== 'trialing') return null;
  const { title } = PLANS[plan];
  return running.plan === plan
    ? `Once paid, ${title} starts on ${formatDate(running.endsAt)}, when your trial ends.`
    : `When you pay, ${title} starts and your ${PLANS[running.plan].title} trial ends.`;
}
