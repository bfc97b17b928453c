import Stripe from 'stripe';
import { textWithinBudget } from '../../lib/egress/answer-budget.ts';
import { parseAnswer } from '../../lib/egress/answer-json.ts';
import { type Egress, EgressError, type EgressRequest } from '../../lib/egress/egress.ts';
import { redactedLine } from '../../lib/egress/vendor-answers.ts';
import { AppError } from '../../lib/errors.ts';

export type StripeAccess = {
  secretKey: string;
  /** The origin of the API. */
  apiUrl: string;
  egress: Egress;
  /** How often the library itself asks again; 0 in tests, since it waits by the wall clock. */
  retries?: number;
};

/** The shapes of this version are what the library is typed by, whatever the account of the operator has as its own. */
const API_VERSION = '2026-10-28.endive';
/** A person waits for the page to pay on. */
const TIMEOUT_MS = 20_000;
/** Twice, after half a second and a second. */
const RETRIES = 2;
/** A hundred invoices with their lines have some 500 KB. */
const ANSWER_MAX_BYTES = 4 * 1024 ** 2;
/** A refusal has some twenty. */
const ANSWER_MAX_VALUES = 1_000;

/** The vendor's library, whose requests go out as all others do: to a checked address, with an answer of bounded size. */
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
      // The library takes whatever names no `error` for what was asked for, as the page of a proxy in between.
      if (status >= 400 && !namesError(text)) throw new EgressError('connection', `status ${status} without a reason`);
      return new Response(text, { status, headers: own });
    });
  };
}

function namesError(text: string): boolean {
  const body = parseAnswer(text, ANSWER_MAX_VALUES);
  return typeof body === 'object' && body !== null && 'error' in body;
}

/** Asks, and gives what is refused a code of ours. The words of the service may name what is ours alone: they go to the log. */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toAppError(error);
  }
}

/** Whether it has no such thing. */
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
  if (isMissing(error)) return new AppError('not_found', 'The payment service does not have this.', { cause });
  if (PASSING.some((kind) => error instanceof kind)) {
    return new AppError('payments_unavailable', 'The payment service cannot be reached at this moment.', {
      hint: 'Try again in a few minutes.',
      cause,
    });
  }
  if (REFUSING.some((kind) => error instanceof kind)) {
    return new AppError('payments_unavailable', 'The payment service does not take the key of this Fairlead.', {
      hint: 'Tell whoever runs it: STRIPE_SECRET_KEY is not accepted, or lacks a permission.',
      cause,
    });
  }
  return new AppError('payments_failed', 'The payment service did not accept this.', {
    hint: 'Write to support if it happens again.',
    cause,
  });
}
