import type { PaymentEvent, PaymentService } from './payments.ts';

const TYPES = { pay: 'paid', later: 'processing', decline: 'failed', arrived: 'paid' } as const satisfies Record<
  string,
  PaymentEvent['type']
>;

/**
 * Takes no money: the page is one of the app's own, on which the person says what is to become of the payment. It is the
 * payment service of a Fairlead without Stripe, so that plans can be tried, and handed out, on one machine.
 *
 * `publicUrl` is the app's own origin. An answer has one event, however often it is given; the money of a payment that was
 * confirmed for later arrives by an event of its own.
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
