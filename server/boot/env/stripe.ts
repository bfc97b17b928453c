import * as z from 'zod/mini';
import { isOrigin } from '../../lib/egress/url-rules.ts';

const secretKey = z
  .string()
  .check(z.regex(/^(sk|rk)_(live|test)_\w{8,}$/, 'it must be a secret key of Stripe, which begins with sk_ or rk_'));
const webhookSecret = z
  .string()
  .check(z.regex(/^whsec_[\w+/=-]{8,}$/, 'it must be the signing secret of a webhook, which begins with whsec_'));
const origin = z.string().check(z.refine(isOrigin, 'it must be http:// or https:// with a host and nothing after it'));

/** These turn on payments by Stripe; without them there is the test checkout. */
export const stripeVariables = {
  STRIPE_SECRET_KEY: z.optional(secretKey),
  STRIPE_WEBHOOK_SECRET: z.optional(webhookSecret),
  STRIPE_API_URL: z._default(origin, 'https://api.stripe.com'),
};

type Values = z.infer<z.ZodMiniObject<typeof stripeVariables>>;

export type StripeEnv = { secretKey: string; webhookSecret: string; apiUrl: string };

export function readStripe(values: Values): StripeEnv | undefined {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret, STRIPE_API_URL: apiUrl } = values;
  return key === undefined || secret === undefined ? undefined : { secretKey: key, webhookSecret: secret, apiUrl };
}

/**
 * Requires both variables or neither: without the key nobody can pay, and without the secret no payment is reported in
 * time.
 */
export function stripeFault(values: Values): { name: string; fault: string } | null {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret } = values;
  if (key !== undefined && secret === undefined) {
    return { name: 'STRIPE_WEBHOOK_SECRET', fault: 'it must be set together with STRIPE_SECRET_KEY' };
  }
  if (key === undefined && secret !== undefined) {
    return { name: 'STRIPE_SECRET_KEY', fault: 'it must be set together with STRIPE_WEBHOOK_SECRET' };
  }
  return null;
}
