import type { TestAnswer } from '../../../routers/schemas/payments.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';

/**
 * Takes payments.
 *
 * A payment is stored as `pending`, with price, plan and account, before anybody is asked to pay; `openCheckout` then
 * returns the page for paying. Only the payment service decides the result, never the address that the person returns
 * to.
 *
 * In the test checkout events report the result. They arrive at least once and in any order, so each has an id of its
 * own, which is stored in the transaction that also moves the payment and grants the plan
 * (apply-event.ts): a second event with the same id changes nothing, and neither does one that no
 * longer fits the state of the payment.
 *
 * A hosted service sends notices: at least once, in any order, or never. So a notice only says that a customer has
 * changed. A job then reads the service's record of that customer (`readCustomer`) and makes up what is missing, each
 * amount of money once, by its own id (sync.ts). Another job checks the customer at intervals,
 * whether or not a notice came.
 */
export type PaymentService = {
  /** True for a checkout in the app itself, where no money moves. */
  isTest: boolean;
  /**
   * The same order twice is one checkout. Throws `payments_unavailable`, `payments_failed`, and `not_found` for the
   * customer.
   */
  openCheckout(order: CheckoutOrder): Promise<{ url: string; checkoutId?: string }>;
  /** Returns the event for the person's answer on the test page. Only the test checkout has it. */
  testEvent?(order: Pick<CheckoutOrder, 'paymentId' | 'accountId'>, answer: TestAnswer | 'arrived'): PaymentEvent;
  /** Present when an external service takes the money, on its own pages. */
  hosted?: HostedPayments;
};

export type HostedService = PaymentService & { hosted: HostedPayments };

export type CheckoutOrder = {
  paymentId: string;
  accountId: string;
  plan: PaidPlan;
  amountCents: number;
  /** The credit for the unused time of a lower plan, taken off the price. */
  creditCents: number;
  /** The account at a hosted service, and its subscription there that this order upgrades. */
  customerId?: string;
  upgrades?: string | null;
};

export type PaymentEvent = {
  /** The event's id at the service that sent it. */
  id: string;
  paymentId: string;
  accountId: string;
  /** `processing`: confirmed by the person, while the money is still on its way. */
  type: 'paid' | 'processing' | 'failed';
};

export type Price = { cents: number; currency: string };

/**
 * A service with customers, subscriptions and pages of its own. All throw `payments_unavailable` when it does not
 * answer, `payments_failed` when it refuses, and `not_found` for unknown ids.
 */
export type HostedPayments = {
  /** Returns the price of one payment for the plan before tax, in hundredths of the currency's unit. */
  priceOf(plan: PaidPlan): Promise<Price>;
  /** Returns the prices as last read, for callers that cannot wait; empty when they were never read. */
  knownPrices(): readonly (Price & { plan: PaidPlan })[];
  /** Creates a customer once for each `key`: an account has one. Returns its id. */
  createCustomer(account: { accountId: string; email: string; key: string }): Promise<string>;
  checkout(checkoutId: string): Promise<CheckoutFacts>;
  /** Closes a checkout, so that nobody can pay there any more. One that is over already is no error. */
  expireCheckout(checkoutId: string): Promise<void>;
  /** Opens the page where the person changes the card, reads invoices, and cancels. */
  openPortal(customerId: string): Promise<{ url: string }>;
  /** Throws `bad_request` unless the service has signed it within the last minutes. */
  readNotice(body: Uint8Array, signature: string, now: Date): Promise<PaymentNotice>;
  readCustomer(customerId: string, checkoutIds: readonly string[]): Promise<CustomerFacts>;
  /** `plan`: a smaller one, for the time after this period, or the one that replaces it. */
  changeSubscription(subscriptionId: string, change: { cancelAtEnd: boolean; plan: PaidPlan }): Promise<void>;
  /** Ends it at once, without a refund. One that has ended already is no error. */
  endSubscription(subscriptionId: string): Promise<void>;
  /** Refunds all of a payment, once for each `key`. */
  refund(chargeId: string, key: string): Promise<void>;
  /** Creates the products at the service that do not exist there yet. */
  prepare(): Promise<void>;
};

/** Identifies the customer: by their id, or by money that was taken from them. */
export type PaymentNotice = { id: string; customerId: string | null; chargeId: string | null };

export type CheckoutFacts = {
  id: string;
  /** `processing`: confirmed by the person, while the money is still on its way. */
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  /** The address while it is open. */
  url: string | null;
  /** The id of the money that was taken in it. */
  paidId: string | null;
};

/** Money that was taken. */
export type PaidFacts = {
  id: string;
  /** Null for a single payment: only the order says which plan. */
  plan: PaidPlan | null;
  /** `change`: the difference to a higher plan, charged in the middle of a period. */
  reason: 'first' | 'renewal' | 'change';
  paidAt: Date;
  /** The amount including tax. */
  amountCents: number;
  taxCents: number;
  creditCents: number;
  currency: string;
  /** Null for a single payment. */
  period: { startsAt: Date; endsAt: Date } | null;
  subscriptionId: string | null;
  /** A refund needs this id; null when nothing was charged. */
  chargeId: string | null;
};

/** The state of money that was taken. */
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
  /** The time of the next payment. */
  renewsAt: Date | null;
  /** The first attempt at the last payment, when that is past due. */
  pastDueSince: Date | null;
};

/** `paid` begins with the oldest. */
export type CustomerFacts = {
  checkouts: CheckoutFacts[];
  paid: PaidFacts[];
  charges: ChargeFacts[];
  subscriptions: SubscriptionFacts[];
};
