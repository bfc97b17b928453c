import type { ErrorCode } from '../../routers/schemas/errors.ts';
import type { CountedInit } from '../api/counted-request.ts';
import { SessionUnavailableError } from '../api/session/session-errors.ts';

/** `sessionFetch` in the app, which refreshes a token that expires meanwhile and continues. */
export type UploadFetch = (path: string, init: CountedInit) => Promise<Response>;

/**
 * Pauses before a request without an answer is repeated, none longer than four seconds, so that a server that is back
 * is soon asked. After the last one the network counts as gone.
 */
const PAUSES_MS: readonly number[] = [500, 1_000, 2_000, ...Array.from({ length: 7 }, () => 4_000)];
/** If a server asks for a longer pause than this, the person is told instead of waiting. */
const LONGEST_WAIT_MS = 60_000;

/** An error that stopped an upload: `message` says what happened, `hint` what to do. */
export class UploadError extends Error {
  override name = 'UploadError';
  readonly code: ErrorCode | 'network' | 'file_changed';
  readonly hint: string | undefined;
  readonly path: string | undefined;

  constructor(
    code: ErrorCode | 'network' | 'file_changed',
    message: string,
    details: { hint?: string; path?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.path = details.path;
  }
}

export type RequestOptions = {
  fetch: UploadFetch;
  signal: AbortSignal;
  /** Called when requests begin to be repeated, and when answers arrive again. */
  onWaiting?: ((isWaiting: boolean) => void) | undefined;
  /** Shorter pauses, for tests. */
  pausesMs?: readonly number[];
};

/**
 * Sends a request until it is answered. An answer that asks to come later is followed by a pause of the length it
 * names. `beforeAgain` may explain a missing answer, by throwing an error.
 *
 * @throws UploadError with the code `network` when nobody answers; the signal's reason
 */
export async function withRetries(
  options: RequestOptions,
  request: () => Promise<Response>,
  beforeAgain: () => Promise<void> = async () => undefined,
): Promise<Response> {
  const ask = () =>
    request().catch(async (cause: unknown) => {
      options.signal.throwIfAborted();
      await beforeAgain();
      if (!isNetworkError(cause)) throw cause;
      throw new UploadError('network', 'The server cannot be reached.', {
        hint: 'Check your connection and try again. What arrived is kept.',
        cause,
      });
    });
  const response = await untilAnswered(ask, options, askedToWait);
  options.signal.throwIfAborted();
  return response;
}

/**
 * Repeats a request until it is answered. `isRepeated` tells that an earlier one may have been carried out; `waitMsOf`
 * returns how long to wait after an answer before asking again, and null for one that is final.
 *
 * @throws the error of the last attempt when nobody answers; the signal's reason
 */
export async function untilAnswered<Answer>(
  ask: (isRepeated: boolean) => Promise<Answer>,
  { signal, onWaiting, pausesMs = PAUSES_MS }: Pick<RequestOptions, 'signal' | 'onWaiting' | 'pausesMs'>,
  waitMsOf: (answer: Answer, pauseMs: number) => number | null = () => null,
): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    let waitMs = pausesMs[attempt] ?? null;
    try {
      const answer = await ask(attempt > 0);
      if (waitMs !== null) waitMs = waitMsOf(answer, waitMs);
      if (waitMs === null) {
        onWaiting?.(false);
        return answer;
      }
    } catch (cause) {
      if (!isUnanswered(cause) || waitMs === null) throw cause;
    }
    onWaiting?.(true);
    await pauseFor(waitMs, signal);
  }
}

/** Returns after how many milliseconds the server wants to be asked again, and null for an answer that is final. */
function askedToWait(response: Response, pauseMs: number): number | null {
  const isLater = response.status === 408 || response.status === 429 || response.status >= 500;
  if (!isLater || response.status === 507) return null;
  const askedMs = Number(response.headers.get('Retry-After') ?? 0) * 1000;
  if (Number.isNaN(askedMs)) return pauseMs;
  return askedMs > LONGEST_WAIT_MS ? null : Math.max(askedMs, pauseMs);
}

/**
 * `fetch` throws a TypeError for every failure below HTTP (Fetch standard, "network error"), and a timeout is a
 * TimeoutError; a refresh may get no answer too.
 */
function isNetworkError(cause: unknown): boolean {
  const isTimeout = cause instanceof DOMException && cause.name === 'TimeoutError';
  return isTimeout || cause instanceof TypeError || cause instanceof SessionUnavailableError;
}

/** Returns whether nobody answered, after all attempts of this file or to tRPC, which wraps the error of `fetch`. */
export function isUnanswered(cause: unknown): boolean {
  if (cause instanceof UploadError) return cause.code === 'network';
  return isNetworkError(cause) || (cause instanceof Error && isNetworkError(cause.cause));
}

/** Waits, but no longer than until the browser is back online. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}

/** A file that was written after it was chosen can no longer be read; to `fetch` that looks like a lost network. */
export async function refuseChanged(path: string, file: Blob): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw changed(path, cause);
  }
}

/** Makes the error for a file whose bytes are not the chosen ones, or that can no longer be read. */
export function changed(path: string, cause: unknown): UploadError {
  return new UploadError('file_changed', `${path} changed after it was chosen.`, {
    hint: 'Choose the folder or ZIP again, so that what is published is what is on your disk.',
    path,
    cause,
  });
}

type ErrorBody = { code?: ErrorCode; message?: string; hint?: string; path?: string; field?: string };

/** Longer than any error of Fairlead; the page of a proxy may be longer. */
const BODY_SHOWN_CHARS = 2_000;

/**
 * Reads the error out of an answer, in the server's own words if it sent any: a proxy's page has none for a person.
 * Among several `sent` files it names one by its hash. Its cause is the plain error of the call: the status, a colon and
 * the body.
 */
export async function refusal(
  response: Response,
  sent: readonly { path: string; sha256?: string }[] = [],
): Promise<UploadError> {
  const text = (await response.text().catch(() => '')).slice(0, BODY_SHOWN_CHARS);
  const cause = new Error(`${response.status}: ${text}`);
  const unsaid = `A server on the way to Fairlead refused this request (status ${response.status}).`;
  const { code = 'internal', message = unsaid, hint, field, ...body } = errorBodyOf(text);
  const path = body.path ?? (sent.length === 1 ? sent[0] : sent.find(({ sha256 }) => sha256 === field))?.path;
  const details = { ...(hint !== undefined && { hint }), ...(path !== undefined && { path }) };
  return new UploadError(code, message, { ...details, cause });
}

/** Every error of the server is JSON with these fields; the page of a proxy is not. */
function errorBodyOf(text: string): ErrorBody {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
