import { ERROR_CODES, type ErrorCode } from '../../routers/schemas/errors.ts';
import type { ShownError } from '../../routers/schemas/platforms/destination.ts';
import { ACCESS_PREFIX } from './token-prefix.ts';

export type AppErrorOptions = {
  hint?: string | undefined;
  /** The hint for a person whose own call failed, when `hint` is written for a job that is tried again. */
  hintForPerson?: string | undefined;
  field?: string | undefined;
  fieldErrors?: Record<string, string> | undefined;
  reason?: string | undefined;
  path?: string | undefined;
  retryAfterMs?: number | undefined;
  /** The whole answer of another service, cleaned; shown when a person asks for it. */
  raw?: string | undefined;
  /** The true cause: for the log, never for a person. */
  cause?: unknown;
};

/**
 * The one error that services and adapters throw. `message` is a sentence for a person; `code` is stable
 * (routers/schemas/errors.ts). It knows no transport: the base procedure and the REST adapter translate it.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly hintForPerson: string | undefined;
  readonly field: string | undefined;
  readonly fieldErrors: Record<string, string> | undefined;
  readonly reason: string | undefined;
  readonly path: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly raw: string | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = options.hint;
    this.hintForPerson = options.hintForPerson;
    this.field = options.field;
    this.fieldErrors = options.fieldErrors;
    this.reason = options.reason;
    this.path = options.path;
    this.retryAfterMs = options.retryAfterMs;
    this.raw = options.raw;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/**
 * Thrown by a job that can do nothing until somebody else has acted, or that only waits from here on: it frees its
 * slot and comes back after `delayMs` with no attempt counted. The queue sets no deadline, so the caller must.
 */
export class JobDeferred extends Error {
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.name = 'JobDeferred';
    this.delayMs = delayMs;
  }
}

/**
 * Returns the error for a call that needs a signed-in person. `bearer` is the bad token that the call brought, if any:
 * a script has no login, so only a token of a session, or none, is asked for it.
 */
export function signedOut(bearer?: string): AppError {
  const isOfSession = bearer === undefined || bearer.startsWith(ACCESS_PREFIX);
  return new AppError(
    'unauthenticated',
    isOfSession ? 'Log in to do this.' : 'This API token is unknown, expired or revoked.',
  );
}

/**
 * Returns the error for an object that does not exist or belongs to another account: callers cannot tell the two
 * apart.
 */
export function notFound(what: string): AppError {
  return new AppError('not_found', `This ${what} does not exist.`);
}

/** Returns the part of an error that a person may see; an unknown one reveals nothing internal. */
export function shownError(error: unknown): ShownError {
  if (!(error instanceof AppError)) {
    return { code: 'internal', message: 'Something went wrong on our side.', hint: 'Try again.', raw: null };
  }
  return { code: error.code, message: error.message, hint: error.hint ?? null, raw: error.raw ?? null };
}
