import * as z from 'zod/mini';
import { paidPlanSchema, planSchema } from './plans.ts';
import { subscriptionStatusSchema } from './states.ts';

export const subscriptionSchema = z.strictObject({
  status: subscriptionStatusSchema,
  plan: paidPlanSchema,
  startedAt: z.date(),
  /** The period, or the trial, ends then; a subscription past it reads as `expired` everywhere at once. */
  endsAt: z.date(),
});

/** The plan that counts, its cap and what is left of it; `null` is unlimited. */
export const allowanceSchema = z.strictObject({
  plan: planSchema,
  deploymentLimit: z.nullable(z.number()),
  deploymentCount: z.number(),
  remaining: z.nullable(z.number()),
  isTrialAvailable: z.boolean(),
});

export type Subscription = z.infer<typeof subscriptionSchema>;
export type Allowance = z.infer<typeof allowanceSchema>;
