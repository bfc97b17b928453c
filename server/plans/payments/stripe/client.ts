import Stripe from 'stripe';
import { textWithinBudget } from '../../../lib/egress/answer-budget.ts';
import { parseAnswer } from '../../../lib/egress/answer-json.ts';
import { type Egress, EgressError, type EgressRequest } from '../../../lib/egress/egress.ts';
import { redactedLine } from '../../../lib/egress/vendor-answers.ts';
import { AppError } from '../../../lib/errors.ts';

export type StripeAccess = {
  secretKey: string;
  /** The origin of the API. */
  apiUrl: string;
  egress: Egress;
  /** The number of retries by the library itself; 0 in tests, since it waits by the wall clock. */
  retries?: number;
};

/** The library's types match this version, whichever the operator's account uses by default. */
const API_VERSION = '2026-10-28.endive';
/** A person waits for the payment page. */
const TIMEOUT_MS = 20_000;
/** There are two retries, after half a second and after a second. */
const RETRIES = 2;
/** A hundred invoices with their lines have some 500 KB. */
const ANSWER_MAX_BYTES = 4 * 1024 ** 2;
/** A refusal has some twenty values. */
const ANSWER_MAX_VALUES = 1_000;

/**
 * Creates the vendor's client, whose requests go out like all others: to a checked address, with an answer of bounded
 * size.
 */
export function createClient({ secretKey, apiUrl, egress, retries = RETRIES }: StripeAccess): Stripe {
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? 'http' : 'https',
    timeout: TIMEOUT_MS,
    maxNetworkRetries: retries,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(fetchOver(egress)),
  });
}

function fetchOver(egress: Egress): typeof fetch {
  return (address, { method, headers, body, signal } = {}) => {
    const isChange = method === 'POST' || method === 'DELETE';
    const request: EgressRequest = {
      method: isChange ? method : 'GET',
      headers: () => Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' && body !== '' ? Buffer.from(body) : undefined,
      signal: signal ?? AbortSignal.timeout(TIMEOUT_MS),
      maxBytes: ANSWER_MAX_BYTES,
      wholeMs: TIMEOUT_MS,
    };
    return egress.request(String(address), request, async ({ body: sent, status, headers: own }) => {
      const text = await textWithinBudget(sent);
      // The library would accept any answer without an `error` as the result, even a proxy's page.
      if (status >= 400 && !namesError(text)) throw new EgressError('connection', `status ${status} without a reason`);
      return new Response(text, { status, headers: own });
    });
  };
}

function namesError(text: string): boolean {
  const body = parseAnswer(text, ANSWER_MAX_VALUES);
  return typeof body === 'object' && body !== null && 'error' in body;
}

/**
 * Calls the service and translates its refusals. Its messages may name internals of ours, so they go only to the log.
 */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toAppError(error);
  }
}

/** Returns whether the service says that the object does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
}

const PASSING = [
  Stripe.errors.StripeConnectionError,
  Stripe.errors.StripeAPIError,
  Stripe.errors.StripeRateLimitError,
  Stripe.errors.StripeIdempotencyError,
];
const REFUSING = [Stripe.errors.StripeAuthenticationError, Stripe.errors.StripePermissionError];

function toAppError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Stripe.errors.StripeError)) return error;
  const cause = new Error(`${error.type}: ${redactedLine(error.message, [])}`);
  if (isMissing(error))
    return new AppError('not_found', 'The payment service has no record of this payment or plan.', { cause });
  if (PASSING.some((kind) => error instanceof kind)) {
    return new AppError('payments_unavailable', 'The payment service cannot be reached right now.', {
      hint: 'Try again in a few minutes.',
      cause,
    });
  }
  if (REFUSING.some((kind) => error instanceof kind)) {
    return new AppError('payments_unavailable', 'The payment service does not accept the key of this Fairlead.', {
      hint: 'Tell the operator: STRIPE_SECRET_KEY is not accepted, or lacks a permission.',
      cause,
    });
  }
  return new AppError('payments_failed', 'The payment service did not accept this.', {
    hint: 'Write to support if it happens again.',
    cause,
  });
}
