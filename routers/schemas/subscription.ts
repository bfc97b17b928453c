import * as z from 'zod/mini';
import { paidPlanSchema, planSchema } from './plans.ts';
import { idSchema } from './primitives.ts';
import { subscriptionStatusSchema } from './states.ts';

/** The source of a plan: the free trial, a payment, or a license key. */
export const PLAN_SOURCES = ['trial', 'payment', 'license'] as const;

export const subscriptionSchema = z.strictObject({
  status: subscriptionStatusSchema,
  plan: paidPlanSchema,
  startedAt: z.date(),
  /** The period, or the trial, ends then; a subscription past it reads as `expired` everywhere at once. */
  endsAt: z.date(),
  /** True when it renews by itself, unless it is cancelled; `nextPlan`: as this smaller plan. */
  renews: z.boolean(),
  cancelAtEnd: z.boolean(),
  /** The time of the next payment, when that is before the end: a license key has extended the plan meanwhile. */
  renewsAt: z.optional(z.date()),
  nextPlan: z.nullable(paidPlanSchema),
});

/** The present plan, its cap and how much of it is left; `null` is unlimited. */
export const allowanceSchema = z.strictObject({
  plan: planSchema,
  deploymentLimit: z.nullable(z.number()),
  deploymentCount: z.number(),
  remaining: z.nullable(z.number()),
  isTrialAvailable: z.boolean(),
  /** Confirmed by the person, while the money is on its way: nothing else can be bought meanwhile. */
  comingPayment: z.nullable(z.strictObject({ id: idSchema, plan: paidPlanSchema })),
  /** The deployments that can be changed, when the plan allows fewer than there are; `null`: all of them. */
  writableIds: z.nullable(z.array(idSchema)),
  /** True while the person may still choose them. */
  mayChooseWritable: z.boolean(),
  /** The number for each deployment. */
  customDomains: z.nullable(z.number()),
  severalPlatforms: z.boolean(),
  /** True when features are on before everybody has them. */
  earlyAccess: z.boolean(),
});

/** No plan with a cap allows more. */
const WRITABLE_MAX = 20;

export const chooseWritableInput = z.strictObject({
  deploymentIds: z.array(idSchema).check(z.minLength(1), z.maxLength(WRITABLE_MAX)),
});

export const changePlanInput = z.strictObject({ plan: paidPlanSchema });

export type PlanSource = (typeof PLAN_SOURCES)[number];
export type Subscription = z.infer<typeof subscriptionSchema>;
export type ChangePlanInput = z.infer<typeof changePlanInput>;
export type ChooseWritableInput = z.infer<typeof chooseWritableInput>;
export type Allowance = z.infer<typeof allowanceSchema>;
