import { randomInt } from 'node:crypto';
import type * as z from 'zod/mini';
import type { HostingPlatform } from '../../routers/schemas/platforms/ids.ts';
import { type EgressBody, EgressError, textOf } from '../egress.ts';
import type { AppError } from '../errors.ts';
import { type FailureFacts, type PlatformFailure, platformError, redactedAnswer, redactedLine } from './failures.ts';
import type { ConnectionCall } from './platform.ts';

/**
 * How an adapter speaks to its platform, the same for all. `ask` reads or uploads and is repeated; `makeOnce` creates,
 * and looks first before each try. The wait between two tries doubles from 1 s to 60 s and is never shorter than what
 * the platform asks for; one of more than a minute gives the job back to the queue.
 *
 * An exchange ends after half a minute in which nothing moved in either direction, and after five minutes as a whole
 * besides the time that a slow line needs for its body: a trickle of an answer does not hold a worker.
 */
const TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 60_000;
const WAIT_SPREAD = 0.2;
const ANSWER_MAX_BYTES = 16 * 1024 * 1024;
const EXCHANGE_MS = 5 * 60_000;
/** 0.1 Mbit/s: half of what each of 50 files has that share a line of 10 Mbit/s. */
const BODY_BYTES_A_MS = 12.5;
const REDIRECTS_MAX = 5;
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The API of one platform. */
export type Vendor = {
  id: HostingPlatform;
  title: string;
  /** Its whole base, without a slash at the end; the token is sent to this origin alone. */
  apiUrl: string;
  headers?: Readonly<Record<string, string>>;
  /** Returns what a refusal means, by its status, body and headers; undefined leaves it to the status alone. */
  sort?(status: number, body: unknown, headers: Headers): PlatformFailure | undefined;
  /** Returns the words in a refusal. */
  words(body: unknown, headers: Headers): string | null;
  /** Returns when a limit that the body of a refusal tells of ends, in ms since 1970; the headers come first. */
  resetAt?(body: unknown, now: Date): number | undefined;
  /** Returns where a person settles this kind of refusal. */
  link?(failure: PlatformFailure): string | undefined;
  /** How long nothing may move; half a minute when absent. */
  silenceMs?: number;
  /** How long an exchange may take besides its body; five minutes when absent. */
  exchangeMs?: number;
};

export type VendorRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash and goes below the API's base; or a whole address that the platform answered. */
  url: string;
  /** Carries the token of the connection. An address elsewhere, presigned or not, never may. */
  withToken?: true;
  headers?: Record<string, string>;
  json?: unknown;
  /** The answer is a text as it stands, such as a log: `shape` gets it unparsed. */
  answersText?: true;
  /** `shape` gets `{ body, headers }`, with the names of the headers in lower case. */
  answersHeaders?: true;
  /** What is an answer although its status says otherwise: `shape` gets it like every other. */
  isAnswer?(status: number, body: unknown): boolean;
  /** Opens the body anew for each try. */
  body?(): Promise<EgressBody>;
};

type Refusal = { error: AppError; mayPass: boolean; waitMs: number };
type Outcome<T> = { value: T } | Refusal;
type Answer = { status: number; headers: Headers; text: string };

/** Reads or uploads; a request that may be made twice. Throws what `platformError` makes of the last answer. */
export async function ask<T>(
  call: ConnectionCall,
  vendor: Vendor,
  request: VendorRequest,
  shape: z.ZodMiniType<T>,
): Promise<T> {
  return repeat(call, () => tryOnce(call, vendor, request, shape));
}

/**
 * Creates what `look` does not find, once: a try whose end is unclear is followed by another look, and so is a refusal,
 * since what stands in the way may be what an earlier run has made.
 */
export async function makeOnce<T>(
  call: ConnectionCall,
  vendor: Vendor,
  making: { look(): Promise<T | null>; request: VendorRequest; shape: z.ZodMiniType<T> },
): Promise<T> {
  return repeat(call, async () => {
    const before = await making.look();
    if (before !== null) return { value: before };
    const outcome = await tryOnce(call, vendor, making.request, making.shape);
    if ('value' in outcome || outcome.mayPass) return outcome;
    const after = await making.look();
    return after === null ? outcome : { value: after };
  });
}

async function repeat<T>(call: ConnectionCall, attempt: () => Promise<Outcome<T>>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    call.signal.throwIfAborted();
    const outcome = await attempt();
    if ('value' in outcome) return outcome.value;
    if (!outcome.mayPass || tried === TRIES || outcome.waitMs > LAST_WAIT_MS) throw outcome.error;
    await call.wait(Math.max(outcome.waitMs, backoffMs(tried)), call.signal);
  }
}

function backoffMs(tried: number): number {
  const plain = Math.min(FIRST_WAIT_MS * 2 ** (tried - 1), LAST_WAIT_MS);
  return plain + randomInt(0, Math.round(plain * WAIT_SPREAD));
}

async function tryOnce<T>(
  call: ConnectionCall,
  vendor: Vendor,
  request: VendorRequest,
  shape: z.ZodMiniType<T>,
): Promise<Outcome<T>> {
  const token = request.withToken === true ? await call.credentials.tokenOf(vendor.id) : null;
  let answer: Answer;
  try {
    answer = await send(call, vendor, request, token);
  } catch (error) {
    call.signal.throwIfAborted();
    // The store's own trouble, met while the body was read, and a defect of the adapter.
    if (!(error instanceof EgressError)) throw error;
    return unreachable(vendor, error);
  }
  const isText = request.answersText === true && answer.status < 300;
  const body = isText ? answer.text : parseJson(answer.text);
  const isAnswer = (answer.status >= 200 && answer.status < 300) || request.isAnswer?.(answer.status, body) === true;
  if (!isAnswer) return refusal(call, vendor, { answer, body, token });
  const parsed = shape.safeParse(
    request.answersHeaders === true ? { body, headers: Object.fromEntries(answer.headers) } : body,
  );
  if (parsed.success) return { value: parsed.data };
  const raw = redactedAnswer(answer.status, answer.text, [token]);
  return unclear(vendor, { said: 'its answer is not understood', raw, cause: parsed.error });
}

function unclear(vendor: Vendor, facts: FailureFacts): Refusal {
  return { error: platformError('platform_down', vendor.title, facts), mayPass: true, waitMs: 0 };
}

function unreachable(vendor: Vendor, error: EgressError): Refusal {
  if (error.fault !== 'refused') return unclear(vendor, { said: networkWords(error), cause: error });
  const facts = { said: error.message, cause: error };
  return { error: platformError('platform_failed', vendor.title, facts), mayPass: false, waitMs: 0 };
}

async function send(
  call: ConnectionCall,
  vendor: Vendor,
  request: VendorRequest,
  token: string | null,
): Promise<Answer> {
  const address = request.url.startsWith('/') ? `${vendor.apiUrl}${request.url}` : request.url;
  const { origin } = new URL(vendor.apiUrl);
  if (token !== null && new URL(address).origin !== origin) {
    throw new Error(`A token of ${vendor.title} must not leave for ${new URL(address).origin}.`);
  }
  const headers = (url: URL): Record<string, string> => ({
    accept: 'application/json',
    // Netlify asks clients to say who they are; GitHub refuses those that do not.
    'user-agent': 'Fairlead',
    ...vendor.headers,
    // A redirect may lead anywhere, as GitHub's to the storage of its logs.
    ...(token !== null && url.origin === origin && { authorization: `Bearer ${token}` }),
    ...(request.json !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  });
  const body = request.json === undefined ? await request.body?.() : Buffer.from(JSON.stringify(request.json));
  const { method = 'GET' } = request;
  const exchange = {
    method,
    headers,
    body,
    signal: call.signal,
    maxBytes: ANSWER_MAX_BYTES,
    wholeMs: (vendor.exchangeMs ?? EXCHANGE_MS) + sizeOf(body) / BODY_BYTES_A_MS,
    redirects: method === 'GET' ? REDIRECTS_MAX : 0,
    ...(vendor.silenceMs !== undefined && { silenceMs: vendor.silenceMs }),
  };
  return call.egress.request(address, exchange, async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    text: await textOf(answer.body),
  }));
}

function sizeOf(body: EgressBody | undefined): number {
  return body instanceof Uint8Array ? body.byteLength : (body?.sizeBytes ?? 0);
}

function parseJson(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function refusal(
  call: ConnectionCall,
  vendor: Vendor,
  { answer, body, token }: { answer: Answer; body: unknown; token: string | null },
): Promise<Refusal> {
  const { status, headers } = answer;
  const toldMs = (vendor.resetAt?.(body, call.now()) ?? 0) - call.now().getTime();
  const waitMs = waitHintMs(status, headers, call.now()) || Math.max(0, toldMs);
  const failure = vendor.sort?.(status, body, headers) ?? sortByStatus(status, waitMs);
  const words = vendor.words(body, headers);
  const link = vendor.link?.(failure);
  const error = platformError(failure, vendor.title, {
    said: words === null ? `status ${status}` : redactedLine(words, [token]),
    raw: redactedAnswer(status, answer.text, [token]),
    retryAfterMs: failure === 'rate_limited' || failure === 'quota_exhausted' ? waitMs || undefined : undefined,
    ...(link !== undefined && { link }),
  });
  if (failure === 'credentials_invalid' && token !== null) await call.credentials.refused(vendor.id, error);
  const mayPass = PASSING_STATUS.has(status) || failure === 'rate_limited' || failure === 'platform_down';
  return { error, mayPass, waitMs };
}

function sortByStatus(status: number, waitMs: number): PlatformFailure {
  if (status === 401) return 'credentials_invalid';
  if (status === 402) return 'payment_required';
  // GitHub says "slow down" with 403 as well.
  if (status === 429 || (status === 403 && waitMs > 0)) return 'rate_limited';
  if (status === 403) return 'permission_missing';
  if (status === 404 || status === 410) return 'platform_place_gone';
  if (status === 409) return 'out_of_sync';
  if (status === 413) return 'content_refused';
  if (PASSING_STATUS.has(status) || status >= 500) return 'platform_down';
  return 'platform_failed';
}

/**
 * Returns what the platform asks us to wait, in ms: seconds from now, seconds since 1970, or a date; 0 when it names
 * nothing.
 */
export function waitHintMs(status: number, headers: Headers, now: Date): number {
  // The reset of a limit stands in every answer, and means a wait only in one that was refused for it.
  const isLimited = status === 429 || headers.get('x-ratelimit-remaining') === '0';
  for (const name of isLimited ? ['retry-after', 'x-ratelimit-reset', 'ratelimit-reset'] : ['retry-after']) {
    const ms = hintMs(headers.get(name) ?? '', now.getTime());
    if (ms !== null) return Math.max(0, ms);
  }
  return 0;
}

/** A number this large is a time and not a wait: it would be 30 years. */
const SECONDS_SINCE_1970 = 1_000_000_000;

function hintMs(value: string, nowMs: number): number | null {
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds)) {
    return seconds > SECONDS_SINCE_1970 ? seconds * 1_000 - nowMs : seconds * 1_000;
  }
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at - nowMs;
}

function networkWords(error: EgressError): string {
  if (error.fault === 'silent' || error.fault === 'too_slow') return 'no answer in time';
  if (error.fault !== 'connection') return error.message;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (UNTRUSTED_CODES.has(code)) return 'its certificate is not trusted';
  return 'the connection broke off';
}

/** Node's codes for a certificate that is another's, or that no authority of this machine vouches for (Node, "tls"). */
const UNTRUSTED_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * Returns an address that a platform's API answered, as one that can be opened. Without a scheme it takes that of the
 * API's base, which is https at every vendor. Throws `platform_failed` for what is no address of the web.
 */
export function addressFrom(vendor: Vendor, answered: string): string {
  const { protocol } = new URL(vendor.apiUrl);
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(answered)
    ? answered
    : `${protocol}//${answered.replace(/^\/\//, '')}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/$/, '');
  throw platformError('platform_failed', vendor.title, { said: 'it answered an address that cannot be opened' });
}
