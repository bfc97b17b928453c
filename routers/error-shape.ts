import { TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY, TRPC_ERROR_CODE_NUMBER } from '@trpc/server/rpc';
import * as z from 'zod/mini';
import { translateDatabaseError } from '../server/database/mongo.ts';
import { AppError } from '../server/lib/errors.ts';
import type { Log } from '../server/lib/log.ts';
import { type Context, newRequestId } from './context.ts';
import { ERROR_CODES, type ErrorCode, type ErrorDetails } from './schemas/errors.ts';

/** Refusals by tRPC itself, before or beside our procedures; every other error of its own is a defect of ours. */
const OF_TRPC: Partial<Record<TRPC_ERROR_CODE_KEY, { code: ErrorCode; message: string }>> = {
  PARSE_ERROR: { code: 'bad_request', message: 'The request is not valid JSON.' },
  BAD_REQUEST: { code: 'bad_request', message: 'The request could not be read.' },
  UNAUTHORIZED: { code: 'unauthenticated', message: 'Log in to do this.' },
  NOT_FOUND: { code: 'procedure_unknown', message: 'This procedure does not exist.' },
  METHOD_NOT_SUPPORTED: { code: 'method_not_allowed', message: 'This procedure cannot be called this way.' },
  PAYLOAD_TOO_LARGE: { code: 'body_too_large', message: 'The request is larger than allowed.' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'body_type_unsupported', message: 'Send the body as application/json.' },
  TOO_MANY_REQUESTS: { code: 'rate_limited', message: 'Too many calls. Wait a moment, then try again.' },
  CLIENT_CLOSED_REQUEST: { code: 'client_closed', message: 'The caller ended the call.' },
};

type Issue = z.core.$ZodIssue;

/** A form shows no more: for an input with a hundred thousand mistakes the first ones are enough. */
const MAX_ISSUES = 20;

/** superjson serializes no object with one of these keys, so none may name a field in an answer. */
const NEVER_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Returns one issue per field that can be named: for a union that of the best-fitting branch, for a stray key the key
 * itself.
 */
function flatten(issues: readonly Issue[], prefix: readonly PropertyKey[] = []): { field: string; message: string }[] {
  return issues.slice(0, MAX_ISSUES).flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
        field: [...path, key].map(String).join('.'),
        message: 'This field is not known.',
      }));
    }
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const closest = issue.errors.reduce((best, branch) => (branch.length < best.length ? branch : best));
      return flatten(closest, path);
    }
    return [{ field: path.map(String).join('.'), message: issue.message }];
  });
}

/** Returns the error of an input, or of the part at `place` in it, with the first message of each field. */
export function validationFailed(error: z.core.$ZodError, place: readonly PropertyKey[] = []): AppError {
  const found = flatten(error.issues, place);
  const named = found.filter(({ field }) => field !== '' && !NEVER_KEYS.has(field));
  const fieldErrors: Record<string, string> = {};
  for (const { field, message } of named) {
    if (!Object.hasOwn(fieldErrors, field)) fieldErrors[field] = message;
  }
  return new AppError('validation_failed', (named[0] ?? found[0])?.message ?? 'This input is not valid.', {
    field: named[0]?.field,
    fieldErrors: named.length > 0 ? fieldErrors : undefined,
    cause: error,
  });
}

/**
 * Turns anything that was thrown into the error that may leave the server: ours unchanged, an input's issues by field,
 * a missing database as such, and tRPC's own with a code each. Anything else is masked, since its text was not written
 * for people.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const cause = error instanceof TRPCError ? error.cause : error;
  if (cause instanceof AppError) return cause;
  const away = translateDatabaseError(error);
  if (away !== undefined) return away;
  if (error instanceof TRPCError) {
    if (error.code === 'BAD_REQUEST' && cause instanceof z.core.$ZodError) return validationFailed(cause);
    const known = OF_TRPC[error.code];
    if (known !== undefined) return new AppError(known.code, known.message, { cause: error });
  }
  return new AppError('internal', 'Something went wrong on our side. Try again.', { cause: error });
}

/**
 * Does the same for tRPC: the base procedure passes the result on, so that status, log, formatter and caller see one
 * code.
 */
export function toTRPCError(error: unknown): TRPCError {
  const known = toAppError(error);
  return new TRPCError({ code: ERROR_CODES[known.code].trpc, message: known.message, cause: known });
}

/**
 * Returns everything except the message, for the body of an answer. Keys without a value are left out: superjson would
 * write them as null.
 */
export function errorDetails(error: AppError, requestId: string): ErrorDetails {
  return {
    code: error.code,
    requestId,
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error.field !== undefined && { field: error.field }),
    ...(error.fieldErrors !== undefined && { fieldErrors: error.fieldErrors }),
    ...(error.reason !== undefined && { reason: error.reason }),
    ...(error.path !== undefined && { path: error.path }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  };
}

/** Returns the value of `Retry-After`: whole seconds, at least one (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(error: AppError): string | undefined {
  if (error.retryAfterMs === undefined) return undefined;
  return String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
}

/** Gives requests that fail before they have a context one id, the same in the answer and in the log. */
const idsWithoutContext = new WeakMap<Error, string>();

/** Gives an error of a request without a context the id of its answer. */
export function nameRequest(error: TRPCError, requestId: string): TRPCError {
  idsWithoutContext.set(error, requestId);
  return error;
}

/** Returns the id of a failed request for its answer and the log. */
export function requestIdOf(error: Error, ctx: Context | undefined): string {
  if (ctx !== undefined) return ctx.requestId;
  const id = idsWithoutContext.get(error) ?? newRequestId();
  idsWithoutContext.set(error, id);
  return id;
}

/** Logs our own defects with their stack; a person's mistakes are not logged. */
export function logFault(log: Log, { requestId, path }: { requestId: string; path: string }, error: unknown): void {
  const known = toAppError(error);
  if (known.code !== 'internal') return;
  const cause = known.cause instanceof Error ? (known.cause.cause ?? known.cause) : known.cause;
  log.error('A call failed', {
    requestId,
    path,
    error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  });
}

type ErrorShape = {
  message: string;
  code: TRPC_ERROR_CODE_NUMBER;
  data: ErrorDetails & { httpStatus: number };
};

/** Shapes errors for tRPC. `httpStatus` is the status of our own table, which tRPC then answers with. */
export function formatError({
  error,
  shape,
  ctx,
}: {
  error: TRPCError;
  shape: { code: TRPC_ERROR_CODE_NUMBER };
  ctx: Context | undefined;
}): ErrorShape {
  const known = toAppError(error);
  return {
    message: known.message,
    code: shape.code,
    data: { ...errorDetails(known, requestIdOf(error, ctx)), httpStatus: known.status },
  };
}
