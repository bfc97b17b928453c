import type { ShownFailure } from '../components/page/failed-state.tsx';
import { errorDetails, errorMessage } from './errors.ts';

/** Returns whether the requested object does not exist, or cannot: an address with an invalid id leads to nothing. */
export function isNothing(error: unknown): boolean {
  const { code } = errorDetails(error);
  return code === 'not_found' || code === 'validation_failed';
}

/** Returns the text for the place of a list or screen that could not be loaded; null when nothing failed. */
export function shownFailure(title: string, error: unknown): ShownFailure | null {
  if (error === null) return null;
  return { title, message: errorMessage(error), requestId: errorDetails(error).requestId };
}
