import type { ShownFailure } from '../components/failed-state.tsx';
import { errorDetails, errorMessage } from './errors.ts';

/** Whether what was asked for is not there, or cannot be: an address with an id that is none leads to nothing. */
export function isNothing(error: unknown): boolean {
  const { code } = errorDetails(error);
  return code === 'not_found' || code === 'validation_failed';
}

/** What the place of a list or of a screen says when it could not be loaded; null where nothing failed. */
export function shownFailure(title: string, error: unknown): ShownFailure | null {
  if (error === null) return null;
  return { title, message: errorMessage(error), requestId: errorDetails(error).requestId };
}
