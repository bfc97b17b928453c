import type { ErrorDetails } from '../../routers/schemas/errors.ts';
import { SessionEndedError, SessionUnavailableError } from './session/session-errors.ts';

/** Returns the fields of a server error beside its message: code, hint, field errors, request id. */
export function errorDetails(error: unknown): Partial<ErrorDetails> {
  return isTRPCError(error) ? detailsOf(error.data) : {};
}

/** Returns whether there was any answer, even an empty one. */
export function wasAnswered(error: unknown): boolean {
  if (!isTRPCError(error)) return false;
  if (errorDetails(error).code !== undefined) return true;
  // For a body that is not JSON the client passes the parser's error on, without the response.
  return error.meta?.response instanceof Response || error.cause instanceof SyntaxError;
}

/** Returns whether the call failed because nobody is signed in, which is no failure to show. */
export function isSignedOutError(error: unknown): boolean {
  if (error instanceof SessionEndedError) return true;
  if (isTRPCError(error) && error.cause instanceof SessionEndedError) return true;
  const code = errorDetails(error).code;
  return code === 'unauthenticated' || code === 'session_ended';
}

/** Returns the sentence for a person: the server's own, or a general one without an answer. */
export function errorMessage(error: unknown, fallback = 'Something went wrong on our side. Try again.'): string {
  if (isSessionError(error)) return error.message;
  if (isTRPCError(error)) {
    if (isSessionError(error.cause)) return error.cause.message;
    if (error.data !== undefined && error.data !== null) return error.message;
    return 'Fairlead cannot be reached. Check your connection and try again.';
  }
  if (error instanceof TypeError) return 'Fairlead cannot be reached. Check your connection and try again.';
  return error instanceof Error && error.message !== '' ? error.message : fallback;
}

/** Returns the server's own message, or nothing: for toasts that have their own words otherwise. */
export function serverMessage(error: unknown): string | undefined {
  const isSaid = errorDetails(error).code !== undefined && error instanceof Error && error.message !== '';
  return isSaid ? error.message : undefined;
}

/** Like `serverMessage`, with words for an answer without a message: where there was none at all, nothing was looked at. */
export function answerMessage(error: unknown, otherwise: string): string {
  return serverMessage(error) ?? (wasAnswered(error) ? otherwise : errorMessage(error));
}

/**
 * Returns title and description of the toast for a failed act, for example `errorToast('Could not publish', error)`.
 */
export function errorToast(
  title: string,
  error: unknown,
): { title: string; description: string; variant: 'destructive' } {
  const { hint } = errorDetails(error);
  const message = errorMessage(error);
  // When the message ends with the remedy, that is its hint as well.
  const isSaid = hint === undefined || message.includes(hint);
  return { title, description: isSaid ? message : `${message} ${hint}`, variant: 'destructive' };
}

/** Returns the server's errors by field; empty when it named none. */
export function fieldErrors(error: unknown): Record<string, string> {
  const { field, fieldErrors: byField } = errorDetails(error);
  if (byField !== undefined && Object.keys(byField).length > 0) return byField;
  return field === undefined ? {} : { [field]: errorMessage(error) };
}

/**
 * Puts the server's field errors into a react-hook-form and focuses the first; returns whether any was among `fields`,
 * so that the caller shows a toast only when no field has the error.
 */
export function applyFieldErrors<Field extends string>(
  error: unknown,
  fields: readonly Field[],
  setError: (field: Field, error: { type: string; message: string }, options?: { shouldFocus: boolean }) => void,
): boolean {
  const byField = fieldErrors(error);
  const named = fields.filter((field) => byField[field] !== undefined);
  named.forEach((field, index) => {
    setError(field, { type: 'server', message: byField[field] ?? '' }, { shouldFocus: index === 0 });
  });
  return named.length > 0;
}

/** Recognizes the error by its name: the class itself would bring the whole client into every page. */
function isTRPCError(error: unknown): error is Error & { data: unknown; meta?: { response?: unknown } } {
  return error instanceof Error && error.name === 'TRPCClientError' && 'data' in error;
}

function isSessionError(error: unknown): error is SessionEndedError | SessionUnavailableError {
  return error instanceof SessionEndedError || error instanceof SessionUnavailableError;
}

/**
 * The assertion holds because the server writes these fields with its own type `ErrorDetails`, on REST at the top and
 * in tRPC's `data`.
 */
function detailsOf(body: unknown): Partial<ErrorDetails> {
  return isRecord(body) ? (body as Partial<ErrorDetails>) : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
