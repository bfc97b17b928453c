import * as z from 'zod/mini';
import { paidPlanSchema } from './plans.ts';
import { idSchema } from './primitives.ts';
import { paymentStateSchema } from './states.ts';

/** What a person may answer on the page of the test checkout; `later` stands for ways to pay that take their time. */
export const TEST_ANSWERS = ['pay', 'decline', 'later'] as const;

export const paymentSchema = z.strictObject({
  id: idSchema,
  plan: paidPlanSchema,
  months: z.number(),
  /** What is paid, in hundredths of the currency's unit, after the credit for the unused part of a lower plan. */
  amountCents: z.number(),
  /** `usd`, or the one that the payment service of this Fairlead is set to. */
  currency: z.string(),
  /** A part of the amount. */
  taxCents: z.number(),
  creditCents: z.number(),
  /** What was given back of it, perhaps only in part. */
  refundedCents: z.number(),
  /** Credit beyond the price: the period is longer by so many days. */
  extraDays: z.number(),
  state: paymentStateSchema,
  /** Confirmed by the person, and the money is on its way. */
  isProcessing: z.boolean(),
  /** Went on by itself at the end of a period. */
  isRenewal: z.boolean(),
  /** Made in the test checkout: no money has moved. */
  isTest: z.boolean(),
  createdAt: z.date(),
  expiresAt: z.date(),
  paidAt: z.nullable(z.date()),
  /** The time that it has paid for. */
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
