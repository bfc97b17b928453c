import * as z from 'zod/mini';
import { paidPlanSchema } from './plans.ts';
import { idSchema } from './primitives.ts';
import { paymentStateSchema } from './states.ts';

/** The person's choices on the page of the test checkout; `later` stands for slow payment methods. */
export const TEST_ANSWERS = ['pay', 'decline', 'later'] as const;

export const paymentSchema = z.strictObject({
  id: idSchema,
  plan: paidPlanSchema,
  months: z.number(),
  /** The price in hundredths of the currency's unit, after the credit for the unused part of a lower plan. */
  amountCents: z.number(),
  /** `usd`, or the currency of this Fairlead's payment service. */
  currency: z.string(),
  /** The tax, which the amount includes. */
  taxCents: z.number(),
  creditCents: z.number(),
  /** The refund, which may be partial. */
  refundedCents: z.number(),
  /** The credit beyond the price, as days that extend the period. */
  extraDays: z.number(),
  state: paymentStateSchema,
  /** True when the person has confirmed it, and the money is on its way. */
  isProcessing: z.boolean(),
  /** True for an automatic payment at the end of a period. */
  isRenewal: z.boolean(),
  /** True for a payment of the test checkout: no money has moved. */
  isTest: z.boolean(),
  createdAt: z.date(),
  expiresAt: z.date(),
  paidAt: z.nullable(z.date()),
  /** The time that it pays for. */
  period: z.nullable(z.strictObject({ startsAt: z.date(), endsAt: z.date() })),
});
/** `hasPortal`: the account has pages at a payment service, for its card, its invoices and its subscription. */
export const paymentListSchema = z.strictObject({ items: z.array(paymentSchema), hasPortal: z.boolean() });

export const checkoutInput = z.strictObject({ plan: paidPlanSchema });
export const checkoutSchema = z.strictObject({ url: z.string() });
export const portalSchema = z.strictObject({ url: z.string() });
export const getPaymentInput = z.strictObject({ paymentId: idSchema });
export const answerTestInput = z.strictObject({ paymentId: idSchema, answer: z.enum(TEST_ANSWERS) });

export type Payment = z.infer<typeof paymentSchema>;
export type Checkout = z.infer<typeof checkoutSchema>;
export type PaymentList = z.infer<typeof paymentListSchema>;
export type Portal = z.infer<typeof portalSchema>;
export type CheckoutInput = z.infer<typeof checkoutInput>;
export type GetPaymentInput = z.infer<typeof getPaymentInput>;
export type AnswerTestInput = z.infer<typeof answerTestInput>;
export type TestAnswer = AnswerTestInput['answer'];
