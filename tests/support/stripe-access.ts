import { createLoadedLater } from '../../server/plans/payments/loaded-later.ts';
import type { PaymentService } from '../../server/plans/payments/payments.ts';
import { createStripePayments } from '../../server/plans/payments/stripe/index.ts';
import type { TestApp } from './app.ts';
import { testEgress } from './platforms.ts';
import { SECRET_KEY, WEBHOOK_SECRET } from './standins/stripe/secrets.ts';

/** Has an application take its money by the stand-in at this address. */
export function stripeOf({ providers, clock }: TestApp, apiUrl: string, egress = testEgress()): PaymentService {
  const { publicUrl } = providers.addresses;
  // The library waits by the wall clock before it asks again.
  const access = { secretKey: SECRET_KEY, apiUrl, egress, retries: 0 };
  const options = { ...access, webhookSecret: WEBHOOK_SECRET, publicUrl, now: () => clock.now() };
  return createLoadedLater(async () => createStripePayments(options));
}
