import { errorDetails, errorMessage } from '../../api/errors.ts';

/** What the server itself said, or nothing: the toasts of sign-in have words of their own for everything else. */
export function serverMessage(error: unknown): string | undefined {
  return errorDetails(error).code === undefined ? undefined : errorMessage(error);
}
