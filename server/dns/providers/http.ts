import type * as z from 'zod/mini';
import {
  type Outcome,
  PASSING_STATUS,
  repeat,
  tryOnce,
  type VendorApi,
  type VendorRequest,
} from '../../lib/egress/vendor-requests.ts';
import { AppError } from '../../lib/errors.ts';
import type { DnsProviderCall } from '../provider.ts';
import { type DnsFailure, dnsError } from './failures.ts';

/**
 * All adapters call their provider's API through this file. `ask` is for requests that may be repeated: reads, and
 * writes of a whole set. Requests that create are sent once (`askOnce`) within `repeated`, which reads again before
 * each try.
 */
const TRIES = 4;
const RULES = {
  sortByStatus,
  error: dnsError,
  /**
   * A page of records has some hundred kilobytes, and so has a whole zone of PowerDNS with two thousand sets. The
   * server may be anybody's own, and parsing this many values at once takes some ten milliseconds.
   */
  answerMaxBytes: 512 * 1024,
  answerMaxValues: 20_000,
  exchangeMs: 60_000,
  redirects: 0,
};

/** The API of one provider, opened for one call; its token, or the headers in place of one, go with every request. */
export type DnsVendor = VendorApi<DnsFailure> & { token?: string };
export type DnsRequest = VendorRequest;

/** Sends a request that may be repeated. Throws the error that `dnsError` makes of the last answer. */
export function ask<T>(
  call: DnsProviderCall,
  vendor: DnsVendor,
  request: DnsRequest,
  shape: z.ZodMiniType<T>,
): Promise<T> {
  return repeated(call, () => askOnce(call, vendor, request, shape));
}

/** Sends a request once. After `platform_down` and `overloaded` nobody knows whether it was carried out. */
export async function askOnce<T>(
  call: DnsProviderCall,
  vendor: DnsVendor,
  request: DnsRequest,
  shape: z.ZodMiniType<T>,
): Promise<T> {
  const outcome = await tryOnce({ rules: RULES, call, vendor, request, token: vendor.token ?? null }, shape);
  if ('value' in outcome) return outcome.value;
  throw outcome.error;
}

/** Runs an attempt of one or more requests until it succeeds or its error is final, four times at most. */
export async function repeated<T>(call: DnsProviderCall, attempt: () => Promise<T>): Promise<T> {
  return repeat(call, TRIES, () => attempt().then((value) => ({ value }), refused<T>));
}

/** Providers finish within a minute; a write that takes longer continues with the next try of its job. */
const QUESTIONS_MAX = 60;

type Waiting<State> = {
  title: string;
  /** The message when it is still at work after all questions. */
  said: string;
  everyMs: number;
  isDone(state: State): boolean;
  ask(): Promise<State>;
};

/** Polls a write until it is done, and returns its last state. Throws `platform_down` when it never is. */
export async function untilDone<State>(call: DnsProviderCall, begun: State, waiting: Waiting<State>): Promise<State> {
  let state = begun;
  for (let asked = 0; !waiting.isDone(state); asked += 1) {
    if (asked === QUESTIONS_MAX) throw dnsError('platform_down', waiting.title, { said: waiting.said });
    await call.wait(waiting.everyMs, call.signal);
    state = await waiting.ask();
  }
  return state;
}

function refused<T>(error: unknown): Outcome<T> {
  if (!(error instanceof AppError)) throw error;
  const mayPass = ['platform_down', 'rate_limited', 'overloaded'].includes(error.code);
  return { error, mayPass, waitMs: error.retryAfterMs ?? 0 };
}

function sortByStatus(status: number): DnsFailure {
  if (status === 401) return 'credentials_invalid';
  if (status === 403) return 'permission_missing';
  if (status === 404) return 'zone_not_found';
  if (status === 429) return 'rate_limited';
  if (PASSING_STATUS.has(status) || status >= 500) return 'platform_down';
  return status === 400 || status === 409 || status === 422 ? 'records_refused' : 'platform_failed';
}
