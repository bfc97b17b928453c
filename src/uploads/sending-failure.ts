import { errorDetails, errorMessage, isSignedOutError } from '../api/errors.ts';
import { isUnanswered, UploadError } from './request.ts';
import type { SendingFailure } from './sendings.ts';

/** Returns whether the server does not know the upload or its deployment. */
export function isMissing(cause: unknown): boolean {
  return detailsOf(cause).code === 'not_found';
}

/** Returns whether the upload accepts nothing more, so that the next attempt has to open another. */
export function isUploadLost(cause: unknown): boolean {
  const { code } = detailsOf(cause);
  return isMissing(cause) || code === 'upload_closed' || code === 'upload_incomplete';
}

/** Returns whether the release would equal the live one. */
export function isUnchanged(cause: unknown): boolean {
  return detailsOf(cause).code === 'release_unchanged';
}

/** Returns why a sending stopped, in words for the person and in flags for the screens. */
export function failureOf(cause: unknown, isDeploymentGone: boolean): SendingFailure {
  const { hint, code } = detailsOf(cause);
  const isSignedOut = isSignedOutError(cause) || code === 'unauthenticated' || code === 'session_ended';
  return {
    message: isSignedOut ? 'You were logged out while this was being sent' : errorMessage(cause),
    hint: isSignedOut ? 'Log in again, and it continues where it stopped. Your files are still chosen.' : hint,
    isSelectionNeeded: code === 'file_changed',
    isUnanswered: isUnanswered(cause),
    isSignedOut,
    isDeploymentGone,
    isConnectionLost: code === 'credentials_invalid',
  };
}

function detailsOf(cause: unknown): { code?: string | undefined; hint?: string | undefined } {
  return cause instanceof UploadError ? cause : errorDetails(cause);
}
