import * as z from 'zod/mini';
import { daysFor, isAbove, monthlyCents, PAID_PLANS, PLANS } from './plan-table.ts';

export { daysFor, isAbove, monthlyCents, PAID_PLANS, PLANS };

export const paidPlanSchema = z.enum(PAID_PLANS);
export const planSchema = z.enum(['free', ...PAID_PLANS]);

export type PaidPlan = z.infer<typeof paidPlanSchema>;
export type Plan = z.infer<typeof planSchema>;

/** The features of a plan besides its caps. */
export type Gate = 'allDiagnostics' | 'analytics' | 'severalPlatforms' | 'earlyAccess';

/** Returns whether the plan includes the feature. */
export function mayUse(plan: Plan, gate: Gate): boolean {
  const { diagnostics, analyticsDays, platforms, earlyAccess } = PLANS[plan];
  const opens: Record<Gate, boolean> = {
    allDiagnostics: diagnostics === 'all',
    analytics: analyticsDays !== null,
    severalPlatforms: platforms === 'several',
    earlyAccess,
  };
  return opens[gate];
}

/** These check the tiers: a larger plan includes all of a smaller one. */
export const hasBasic = (plan: Plan): boolean => PLANS[plan].rank >= PLANS.BASIC.rank;
export const hasStandard = (plan: Plan): boolean => PLANS[plan].rank >= PLANS.STANDARD.rank;
export const hasPro = (plan: Plan): boolean => PLANS[plan].rank >= PLANS.PRO.rank;

/** Returns the deployments that a plan allows; `null` is unlimited. */
export function deploymentLimit(plan: Plan): number | null {
  return PLANS[plan].deployments;
}

/** Returns the limit minus the count, floored at 0; `null` is unlimited. */
export function remainingDeployments(plan: Plan, deploymentCount: number): number | null {
  const limit = deploymentLimit(plan);
  return limit === null ? null : Math.max(0, limit - deploymentCount);
}
