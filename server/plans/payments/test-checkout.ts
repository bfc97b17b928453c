import type { PaymentEvent, PaymentService } from './payments.ts';

const TYPES = { pay: 'paid', later: 'processing', decline: 'failed', arrived: 'paid' } as const satisfies Record<
  string,
  PaymentEvent['type']
>;

/**
 * Creates a checkout that takes no money: on a page of the app the person chooses the result of the payment. A
 * Fairlead without Stripe uses it, so that plans can be tried, and granted, on one machine.
 *
 * `publicUrl` is the app's own origin. An answer has one event, however often it is given; a payment that was
 * confirmed for later is completed by an event of its own.
 */
export function createTestCheckout({ publicUrl }: { publicUrl: string }): PaymentService {
  return {
    isTest: true,
    openCheckout: async ({ paymentId }) => ({ url: `${publicUrl}/checkout/test/${paymentId}` }),
    testEvent: ({ paymentId, accountId }, answer) => ({
      id: `test ${paymentId} ${answer}`,
      paymentId,
      accountId,
      type: TYPES[answer],
    }),
  };
}
