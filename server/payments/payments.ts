import type { TestAnswer } from '../../routers/schemas/payments.ts';
import type { PaidPlan } from '../../routers/schemas/plans.ts';

/**
 * Whoever takes the money.
 *
 * A payment is written as `pending`, with price, plan and account, before anybody is asked to pay; `openCheckout` then
 * says where the person pays for it. What becomes of it is told by the payment service alone, never by the address that the
 * person comes back to.
 *
 * In the test checkout events say it. They come at least once and in any order, so each has an id of its own, which is
 * stored in the one transaction that also moves the payment and grants the plan (services/payments/apply-event.ts): a
 * second one of the same id changes nothing, and one that no longer fits the state of the payment changes nothing either.
 *
 * A hosted service sends notices: at least once, in any order, or never. So a notice says no more than that a customer is
 * worth a look. A job then reads what the service knows of that customer (`readCustomer`) and does what is not done yet,
 * each amount of money once, by its own id (services/payments/sync.ts). Another job has the same looked at from time to
 * time, whether or not a notice came.
 */
export type PaymentService = {
  /** Made in the app itself, where no money moves. */
  isTest: boolean;
  /** The same order twice is one checkout. Throws `payments_unavailable`, `payments_failed`; `not_found` for the customer. */
  openCheckout(order: CheckoutOrder): Promise<{ url: string; checkoutId?: string }>;
  /** The event that the person's answer on the test page produces. Present in the test checkout alone. */
  testEvent?(order: Pick<CheckoutOrder, 'paymentId' | 'accountId'>, answer: TestAnswer | 'arrived'): PaymentEvent;
  /** Present where a payment service of its own takes the money, on its own pages. */
  hosted?: HostedPayments;
};

export type CheckoutOrder = {
  paymentId: string;
  accountId: string;
  plan: PaidPlan;
  amountCents: number;
  /** Taken off the price for the unused time of a lower plan. */
  creditCents: number;
  /** The account at a hosted service, and its subscription there that this order takes to a higher plan. */
  customerId?: string;
  upgrades?: string | null;
};

export type PaymentEvent = {
  /** Its id at the service that tells it. */
  id: string;
  paymentId: string;
  accountId: string;
  /** `processing`: confirmed by the person, while the money is still on its way. */
  type: 'paid' | 'processing' | 'failed';
};

export type Price = { cents: number; currency: string };

/**
 * A service with customers, subscriptions and pages of its own. All throw `payments_unavailable` where it does not answer,
 * `payments_failed` where it refuses, and `not_found` for what it does not have.
 */
export type HostedPayments = {
  /** What one payment for the plan costs before tax, in hundredths of the currency's unit. */
  priceOf(plan: PaidPlan): Promise<Price>;
  /** The prices as they were read last, for whoever cannot wait; none where they never were. */
  knownPrices(): readonly (Price & { plan: PaidPlan })[];
  /** Once for each `key`: an account has one customer. Returns its id. */
  createCustomer(account: { accountId: string; email: string; key: string }): Promise<string>;
  checkout(checkoutId: string): Promise<CheckoutFacts>;
  /** Nobody can pay there any more. One that is over already is no error. */
  expireCheckout(checkoutId: string): Promise<void>;
  /** Where the person changes the card, reads invoices, and cancels. */
  openPortal(customerId: string): Promise<{ url: string }>;
  /** Throws `bad_request` for whatever the service has not signed, or not within the last minutes. */
  readNotice(body: Uint8Array, signature: string, now: Date): PaymentNotice;
  readCustomer(customerId: string, checkoutIds: readonly string[]): Promise<CustomerFacts>;
  /** `plan`: a smaller one, for the time after this period, or the one that runs in place of it. */
  changeSubscription(subscriptionId: string, change: { cancelAtEnd: boolean; plan: PaidPlan }): Promise<void>;
  /** At once, and nothing is given back. One that has ended already is no error. */
  endSubscription(subscriptionId: string): Promise<void>;
  /** Gives all of a payment back, once for each `key`. */
  refund(chargeId: string, key: string): Promise<void>;
  /** Makes at the service what is sold, where it is not there yet. */
  prepare(): Promise<void>;
};

/** Whom it concerns: by their id, or by money that was taken from them. */
export type PaymentNotice = { id: string; customerId: string | null; chargeId: string | null };

export type CheckoutFacts = {
  id: string;
  /** `processing`: confirmed by the person, while the money is still on its way. */
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  /** While it is open. */
  url: string | null;
  /** The id of the money that was taken in it. */
  paidId: string | null;
};

/** Money that was taken. */
export type PaidFacts = {
  id: string;
  /** Null where only the order says it: of what is paid once. */
  plan: PaidPlan | null;
  /** `change`: the difference that a higher plan costs from one day to the next. */
  reason: 'first' | 'renewal' | 'change';
  paidAt: Date;
  /** With the tax in it. */
  amountCents: number;
  taxCents: number;
  creditCents: number;
  currency: string;
  /** Null of what is paid once. */
  period: { startsAt: Date; endsAt: Date } | null;
  subscriptionId: string | null;
  /** By which it is given back; null where nothing was charged. */
  chargeId: string | null;
};

/** What became of money that was taken. */
export type ChargeFacts = {
  chargeId: string;
  refundedCents: number;
  isRefunded: boolean;
  dispute: Dispute | null;
};
export type Dispute = 'open' | 'won' | 'lost';

export type SubscriptionFacts = {
  id: string;
  plan: PaidPlan | null;
  /** `incomplete`: its first payment has not been made. */
  state: 'running' | 'past_due' | 'incomplete' | 'ended';
  cancelAtEnd: boolean;
  createdAt: Date;
  /** When the next payment is taken. */
  renewsAt: Date | null;
  /** When its last payment was first tried for, of one that is past due. */
  pastDueSince: Date | null;
};

/** `paid` from the oldest on. */
export type CustomerFacts = {
  checkouts: CheckoutFacts[];
  paid: PaidFacts[];
  charges: ChargeFacts[];
  subscriptions: SubscriptionFacts[];
};
