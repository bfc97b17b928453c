import type { TestAnswer } from '../../routers/schemas/payments.ts';
import type { PaidPlan } from '../../routers/schemas/plans.ts';

/**
 * Whoever takes the money.
 *
 * A payment is written as `pending`, with price, plan and account, before anybody is asked to pay; `openCheckout` then
 * says where the person pays for it. What becomes of it is told by events alone, never by the address that the person comes
 * back to. Events come at least once and in any order, so each has an id of its own, which is stored in the one
 * transaction that also moves the payment and grants the plan (services/payments/apply-event.ts): a second one of the same
 * id changes nothing, and one that no longer fits the state of the payment changes nothing either.
 */
export type PaymentService = {
  /** Made in the app itself, where no money moves. */
  isTest: boolean;
  openCheckout(order: CheckoutOrder): Promise<{ url: string }>;
  /** The event that the person's answer on the test page produces. Present in the test checkout alone. */
  testEvent?(order: Pick<CheckoutOrder, 'paymentId' | 'accountId'>, answer: TestAnswer | 'arrived'): PaymentEvent;
};

export type CheckoutOrder = { paymentId: string; accountId: string; plan: PaidPlan; amountCents: number };

export type PaymentEvent = {
  /** Its id at the service that tells it. */
  id: string;
  paymentId: string;
  accountId: string;
  /** `processing`: confirmed by the person, while the money is still on its way. */
  type: 'paid' | 'processing' | 'failed';
};
