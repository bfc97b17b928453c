import * as z from 'zod/mini';
import { PAID_PLANS, PLANS } from './plan-table.ts';

export { PAID_PLANS, PLANS };

export const paidPlanSchema = z.enum(PAID_PLANS);
export const planSchema = z.enum(['free', ...PAID_PLANS]);

export type PaidPlan = z.infer<typeof paidPlanSchema>;
export type Plan = z.infer<typeof planSchema>;

/** Deployments that a plan allows; `null` is unlimited. */
export function deploymentLimit(plan: Plan): number | null {
  return PLANS[plan].deployments;
}

/** Limit minus count, floored at 0; `null` is unlimited. */
export function remainingDeployments(plan: Plan, deploymentCount: number): number | null {
  const limit = deploymentLimit(plan);
  return limit === null ? null : Math.max(0, limit - deploymentCount);
}
