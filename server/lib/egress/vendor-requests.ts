import { randomInt } from 'node:crypto';
import type * as z from 'zod/mini';
import { HOUR_MS } from '../durations.ts';
import { AppError } from '../errors.ts';
import { hintsOf, TRIED_AGAIN } from '../remedies.ts';
import { textWithinBudget } from './answer-budget.ts';
import { cleanTexts, hasMoreValues, parseAnswer } from './answer-json.ts';
import { type Egress, type EgressBody, EgressError } from './egress.ts';
import { type FailureFacts, redactedAnswer, redactedLine, waitHintMs } from './vendor-answers.ts';
import { isOfLookup } from './words.ts';

/**
 * Calls the API of another company, in the same way for hosting platforms (server/publishing/platforms/http.ts) and
 * DNS providers (server/dns/providers/http.ts): a request is sent once, its answer is read within bounds and checked
 * against a schema, and a refusal becomes one of our failures. `repeat` tries again: the wait doubles from 1 s to 60 s
 * and is never shorter than the vendor asks for; a wait of more than a minute is left to the caller.
 *
 * An exchange ends after half a minute without a byte in either direction, and after a total time plus the time that a
 * slow line needs for its body, so that an answer that trickles in does not hold a worker.
 */
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 60_000;
/** A limit of so many requests a minute may be reported to end in the second after it. */
const HELD_WAIT_MS = LAST_WAIT_MS + 1_000;
/**
 * A caller with a longer wait asks again after this: a limit that lasts a week is reported again, and one of years was
 * a mistake.
 */
const LONGEST_WAIT_MS = HOUR_MS;
const WAIT_SPREAD = 0.2;
/** 0.1 Mbit/s: half of each file's share when 50 of them use a line of 10 Mbit/s. */
const BODY_BYTES_A_MS = 12.5;
/** A refusal has a sentence or a page; a longer one is not searched for words. */
const REFUSAL_MAX_LENGTH = 64 * 1024;
export const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The failures that every kind of vendor has. */
type AnyFailure = 'platform_down' | 'platform_failed';

/** The rules that the adapters of one kind of vendor share. */
export type VendorRules<Failure> = {
  /** Sorts a refusal by its status alone. */
  sortByStatus(status: number, waitMs: number): Failure;
  error(failure: Failure | AnyFailure, title: string, facts: FailureFacts): AppError;
  answerMaxBytes: number;
  answerMaxValues: number;
  exchangeMs: number;
  /** The number of redirects that a reading request follows; credentials only go to the API's own origin. */
  redirects: number;
};

/** The API of one vendor. */
export type VendorApi<Failure> = {
  title: string;
  /** The base address, without a slash at the end; the token is sent to this origin alone. */
  apiUrl: string;
  headers?: Readonly<Record<string, string>>;
  /** Removed from its answers, as the token is. */
  secrets?: readonly string[];
  /** Sorts a refusal by its status, body and headers; undefined leaves it to the status alone. */
  sort?(status: number, body: unknown, headers: Headers): Failure | undefined;
  /** Returns the vendor's words in a refusal. */
  words(body: unknown, headers: Headers): string | null;
  /** Returns the end of a limit that the body of a refusal names, in ms since 1970; headers take precedence. */
  resetAt?(body: unknown, now: Date): number | undefined;
  /** Returns the page where a person resolves this kind of refusal, or does what its words ask for. */
  link?(failure: Failure, words: string | null): string | undefined;
  /** Returns advice about this refusal, where that for its kind says too little. */
  remedy?(status: number, body: unknown): string | undefined;
  /**
   * The limit refills little by little: the time that it names is when all of it is back, which is too long to wait
   * for.
   */
  refillsSteadily?: true;
  /** Answers and refusals are plain text, which `sort`, `words` and the schemas receive. */
  answersText?: true;
  /** The longest time without a byte; half a minute when absent. */
  silenceMs?: number;
  /** The longest time of an exchange besides its body, when it differs from that of its kind. */
  exchangeMs?: number;
};

export type VendorRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A path below the API's base, beginning with a slash; or a whole address that the vendor sent. */
  url: string;
  headers?: Record<string, string>;
  json?: unknown;
  /** The answer is plain text, such as a log: `shape` gets it unparsed. */
  answersText?: true;
  /** The limits of this answer, when it may be larger than most. */
  answersWith?: { bytes: number; values: number };
  /** `shape` gets `{ body, headers }`, with lower-case header names. */
  answersHeaders?: true;
  /** Returns true when this is an answer despite its status: `shape` then gets it like any other. */
  isAnswer?(status: number, body: unknown): boolean;
  /** Opens the body again for each try. */
  body?(): Promise<EgressBody>;
};

export type Asker = {
  egress: Egress;
  signal: AbortSignal;
  now(): Date;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Returns whether the job may hold its worker for that long while the vendor asks it to wait; otherwise the job
   * comes back later.
   */
  mayHold?(ms: number): boolean;
};

type Refusal = { error: AppError; mayPass: boolean; waitMs: number };
export type Outcome<T> = { value: T } | Refusal;

/**
 * Repeats an attempt until it succeeds, its refusal is final, or the tries are used up. Throws the last refusal's
 * error.
 */
export async function repeat<T>(
  call: Pick<Asker, 'signal' | 'wait' | 'mayHold'>,
  tries: number,
  attempt: () => Promise<Outcome<T>>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    call.signal.throwIfAborted();
    const outcome = await attempt();
    if ('value' in outcome) return outcome.value;
    if (!outcome.mayPass || tried === tries || outcome.waitMs > HELD_WAIT_MS) throw outcome.error;
    const waitMs = Math.max(outcome.waitMs, backoffMs(tried));
    if (outcome.error.retryAfterMs !== undefined && call.mayHold?.(waitMs) === false) throw outcome.error;
    await call.wait(waitMs, call.signal);
  }
}

function backoffMs(tried: number): number {
  const plain = Math.min(FIRST_WAIT_MS * 2 ** (tried - 1), LAST_WAIT_MS);
  return plain + randomInt(0, Math.round(plain * WAIT_SPREAD));
}

type Exchange<Failure> = {
  rules: VendorRules<Failure>;
  call: Asker;
  vendor: VendorApi<Failure>;
  request: VendorRequest;
  /** The credential, sent in a header of its own; null when the request needs none or carries it otherwise. */
  token: string | null;
};
type Answer = { status: number; headers: Headers; text: string };

/**
 * Sends one request. After `platform_down` and `overloaded` nobody knows whether it was carried out. Throws the reason
 * of the signal.
 */
export async function tryOnce<T, Failure>(exchange: Exchange<Failure>, shape: z.ZodMiniType<T>): Promise<Outcome<T>> {
  const { rules, vendor, request } = exchange;
  let answer: Answer;
  try {
    answer = await send(exchange);
  } catch (error) {
    return unanswered(exchange, error);
  }
  const { status, headers, text } = answer;
  const isText = vendor.answersText === true || (request.answersText === true && status < 300);
  const valuesMax = request.answersWith?.values ?? rules.answerMaxValues;
  const secrets = secretsOf(exchange);
  const body = isText ? text : cleanTexts(parseAnswer(text, valuesMax), secrets);
  const isAnswer = (status >= 200 && status < 300) || request.isAnswer?.(status, body) === true;
  if (!isAnswer) return refusal(exchange, answer, text.length > REFUSAL_MAX_LENGTH ? undefined : body);
  const parsed = shape.safeParse(
    request.answersHeaders === true ? { body, headers: Object.fromEntries(headers) } : body,
  );
  if (parsed.success) return { value: parsed.data };
  const raw = redactedAnswer(status, text, secrets);
  const isTooLong = body === undefined && hasMoreValues(text, valuesMax);
  const said = isTooLong ? 'the answer is too long' : 'its answer is not understood';
  const facts = { said, raw, cause: parsed.error };
  return { error: rules.error('platform_down', vendor.title, facts), mayPass: true, waitMs: 0 };
}

function secretsOf<Failure>({ token, vendor }: Exchange<Failure>): string[] {
  return [...(token === null ? [] : [token]), ...(vendor.secrets ?? [])];
}

/** Interprets a request that got no answer. */
function unanswered<Failure>({ rules, call, vendor, request }: Exchange<Failure>, error: unknown): Refusal {
  call.signal.throwIfAborted();
  // We have no room for the answer: the request was sent, and its result is not known.
  if (error instanceof AppError && error.code === 'overloaded') {
    return { error, mayPass: true, waitMs: error.retryAfterMs ?? 0 };
  }
  // Either the store failed while the body was read, or the adapter has a defect.
  if (!(error instanceof EgressError)) throw error;
  if (request.url.startsWith('/') && isOfLookup(error.cause)) {
    return { error: notFoundFromHere(vendor.title, error), mayPass: true, waitMs: 0 };
  }
  const mayPass = error.fault !== 'refused';
  const facts = { said: error.message, cause: error };
  return {
    error: rules.error(mayPass ? 'platform_down' : 'platform_failed', vendor.title, facts),
    mayPass,
    waitMs: 0,
  };
}

/** The address of an API is known everywhere, so what fails is the network of this Fairlead. */
function notFoundFromHere(title: string, cause: EgressError): AppError {
  const message = `This Fairlead cannot find the address of ${title}: it may have no network. Nothing was sent there.`;
  const person = 'Check the network of this Fairlead, then try again.';
  return new AppError('platform_down', message, { ...hintsOf({ job: TRIED_AGAIN.job, person }), cause });
}

async function send<Failure>({ rules, call, vendor, request, token }: Exchange<Failure>): Promise<Answer> {
  const address = request.url.startsWith('/') ? `${vendor.apiUrl}${request.url}` : request.url;
  const { origin } = new URL(vendor.apiUrl);
  if (token !== null && new URL(address).origin !== origin) {
    throw new Error(`A token of ${vendor.title} must not be sent to ${new URL(address).origin}.`);
  }
  const headers = (url: URL): Record<string, string> => ({
    accept: 'application/json',
    // Netlify asks clients to identify themselves; GitHub refuses those that do not.
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
    maxBytes: request.answersWith?.bytes ?? rules.answerMaxBytes,
    wholeMs: (vendor.exchangeMs ?? rules.exchangeMs) + sizeOf(body) / BODY_BYTES_A_MS,
    redirects: method === 'GET' ? rules.redirects : 0,
    ...(vendor.silenceMs !== undefined && { silenceMs: vendor.silenceMs }),
  };
  return call.egress.request(address, exchange, async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    text: await textWithinBudget(answer.body),
  }));
}

function sizeOf(body: EgressBody | undefined): number {
  return body instanceof Uint8Array ? body.byteLength : (body?.sizeBytes ?? 0);
}

function refusal<Failure>(exchange: Exchange<Failure>, { status, headers, text }: Answer, body: unknown): Refusal {
  const { rules, call, vendor } = exchange;
  const secrets = secretsOf(exchange);
  const waitMs = vendor.refillsSteadily ? 0 : askedWaitMs({ call, vendor }, { status, headers }, body);
  const failure = vendor.sort?.(status, body, headers) ?? rules.sortByStatus(status, waitMs);
  const words = vendor.words(body, headers);
  const link = vendor.link?.(failure, words);
  const remedy = vendor.remedy?.(status, body);
  const error = rules.error(failure, vendor.title, {
    said: words === null ? `status ${status}` : redactedLine(words, secrets),
    raw: redactedAnswer(status, text, secrets),
    retryAfterMs: failure === 'rate_limited' || failure === 'quota_exhausted' ? waitMs || undefined : undefined,
    ...(link !== undefined && { link }),
    ...(remedy !== undefined && { remedy }),
  });
  const mayPass = PASSING_STATUS.has(status) || failure === 'rate_limited' || failure === 'platform_down';
  return { error, mayPass, waitMs };
}

function askedWaitMs<Failure>(
  { call, vendor }: Pick<Exchange<Failure>, 'call' | 'vendor'>,
  { status, headers }: Omit<Answer, 'text'>,
  body: unknown,
): number {
  const now = call.now();
  const vendorMs = (vendor.resetAt?.(body, now) ?? 0) - now.getTime();
  return Math.min(waitHintMs(status, headers, now) || Math.max(0, vendorMs), LONGEST_WAIT_MS);
}
