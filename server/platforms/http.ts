import { randomInt } from 'node:crypto';
import type * as z from 'zod/mini';
import { AppError } from '../errors.ts';
import { cleanAnswer, cleanWords, type FailureFacts, type PlatformFailure, platformError } from './failures.ts';
import type { PlatformCall } from './platform.ts';

/**
 * How an adapter speaks to its platform, the same for all (platform facts, 8.6). `ask` reads or uploads and is
 * repeated; `makeOnce` creates, and looks first before each try. The wait between two tries doubles from 1 s to 60 s
 * and is never shorter than what the platform asks for; one of more than a minute gives the job back to the queue.
 */
const TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 60_000;
const WAIT_SPREAD = 0.2;
const TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 16 * 1024 * 1024;
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export type Vendor = {
  title: string;
  /** What a refusal means, by its status and body; undefined leaves it to the status alone. */
  sort?(status: number, body: unknown): PlatformFailure | undefined;
  /** The words in the body of a refusal. */
  words(body: unknown): string | null;
  timeoutMs?: number;
};

export type VendorRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  json?: unknown;
  /** Opened anew for each try. */
  body?(): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>>;
};

type Refusal = { error: AppError; mayPass: boolean; waitMs: number };
type Outcome<T> = { value: T } | Refusal;
type Answer = { status: number; headers: Headers; text: string };

/** Reads or uploads; a request that may be made twice. Throws what `platformError` makes of the last answer. */
export async function ask<T>(
  call: PlatformCall,
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
  call: PlatformCall,
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

async function repeat<T>(call: PlatformCall, attempt: () => Promise<Outcome<T>>): Promise<T> {
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
  call: PlatformCall,
  vendor: Vendor,
  request: VendorRequest,
  shape: z.ZodMiniType<T>,
): Promise<Outcome<T>> {
  let answer: Answer;
  try {
    answer = await exchange(call, vendor, request);
  } catch (error) {
    call.signal.throwIfAborted();
    // The store's own trouble, met while the body was read.
    const own = appErrorIn(error);
    if (own !== null) throw own;
    return unclear(vendor, { said: networkWords(error), cause: error });
  }
  const body = parseJson(answer.text);
  if (answer.status < 200 || answer.status > 299) return refusal(call, vendor, answer, body);
  const parsed = shape.safeParse(body);
  if (parsed.success) return { value: parsed.data };
  const raw = cleanAnswer(answer.status, answer.text, [call.credential]);
  return unclear(vendor, { said: 'its answer is not understood', raw, cause: parsed.error });
}

function unclear(vendor: Vendor, facts: FailureFacts): Refusal {
  return { error: platformError('platform_down', vendor.title, facts), mayPass: true, waitMs: 0 };
}

/**
 * One request, and its answer to the end, in the time that it is given. Not by `AbortSignal.timeout`: joined to another
 * signal it is collected as garbage, and then never fires (Node 20.20).
 */
async function exchange(call: PlatformCall, vendor: Vendor, request: VendorRequest): Promise<Answer> {
  const patience = new AbortController();
  const giveUp = (): void => patience.abort(new DOMException('No answer in time', 'TimeoutError'));
  const timer = setTimeout(giveUp, vendor.timeoutMs ?? TIMEOUT_MS);
  try {
    return await send({ ...call, signal: AbortSignal.any([call.signal, patience.signal]) }, request);
  } finally {
    clearTimeout(timer);
  }
}

async function send(call: PlatformCall, request: VendorRequest): Promise<Answer> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    // Netlify asks clients to say who they are; GitHub refuses those that do not.
    'user-agent': 'Fairlead',
    ...(call.credential !== null && { authorization: `Bearer ${call.credential}` }),
    ...(request.json !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  };
  const body = request.json === undefined ? await request.body?.() : JSON.stringify(request.json);
  const response = await call.fetch(request.url, {
    method: request.method ?? 'GET',
    headers,
    signal: call.signal,
    // A token must not follow to another host.
    redirect: 'error',
    ...(body !== undefined && { body, duplex: 'half' }),
  });
  return { status: response.status, headers: response.headers, text: await readText(response) };
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of chunksOf(response)) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_MAX_BYTES) throw new Error('the answer is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseJson(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(call: PlatformCall, vendor: Vendor, answer: Answer, body: unknown): Refusal {
  const waitMs = waitHintMs(answer.status, answer.headers, call.now());
  const failure = vendor.sort?.(answer.status, body) ?? sortByStatus(answer.status, waitMs);
  const words = vendor.words(body);
  const said = words === null ? `status ${answer.status}` : cleanWords(words, [call.credential]);
  const mayPass = PASSING_STATUS.has(answer.status) || failure === 'rate_limited' || failure === 'platform_down';
  return {
    error: platformError(failure, vendor.title, {
      said,
      raw: cleanAnswer(answer.status, answer.text, [call.credential]),
      retryAfterMs: failure === 'rate_limited' || failure === 'quota_exhausted' ? waitMs || undefined : undefined,
    }),
    mayPass,
    waitMs,
  };
}

function sortByStatus(status: number, waitMs: number): PlatformFailure {
  if (status === 401) return 'credentials_invalid';
  if (status === 402) return 'payment_required';
  // GitHub says "slow down" with 403 as well.
  if (status === 429 || (status === 403 && waitMs > 0)) return 'rate_limited';
  if (status === 403) return 'permission_missing';
  if (status === 404 || status === 410) return 'site_missing';
  if (status === 409) return 'out_of_sync';
  if (status === 413) return 'content_refused';
  if (PASSING_STATUS.has(status) || status >= 500) return 'platform_down';
  return 'platform_failed';
}

/** What the platform asks us to wait, in ms: seconds from now, seconds since 1970, or a date; 0 when it names nothing. */
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

function appErrorIn(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause !== undefined ? appErrorIn(error.cause) : null;
}

function networkWords(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  const code = networkCode(error);
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (UNTRUSTED_CODES.has(code)) return 'its certificate is not trusted';
  return 'the connection broke off';
}

/** What Node calls a certificate that is another's, or that no authority of this machine vouches for (Node, "tls"). */
const UNTRUSTED_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** `fetch` wraps what the socket said. */
function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
