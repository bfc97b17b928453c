import { FEEDBACK_MAIN_APP, FEEDBACK_STARS } from '../../../routers/schemas/limits.ts';
import { storeDraft } from '../../lib/storage/draft-storage.ts';
import { feedbackDismissedKey, formDraftKey, SESSION_KEYS, tryStorage } from '../../lib/storage/storage.ts';

/** A rating that was typed and not sent yet; kept for the browser session. */
export type FeedbackDraft = { rating: number; comment: string };

export const emptyDraft: FeedbackDraft = { rating: 0, comment: '' };

const FORM = 'feedback';
const draftKey = formDraftKey(FORM);
const dismissedKey = feedbackDismissedKey(FEEDBACK_MAIN_APP);

export function readDraft(): FeedbackDraft {
  const stored = tryStorage(() => sessionStorage.getItem(draftKey));
  return stored === null ? emptyDraft : parseDraft(stored);
}

export function writeDraft(draft: FeedbackDraft): void {
  storeDraft(FORM, JSON.stringify(draft));
}

export function clearDraft(): void {
  tryStorage(() => sessionStorage.removeItem(draftKey));
}

/** Returns whether the button was dismissed, or an answer was given; for good. */
export function isFeedbackDismissed(): boolean {
  return tryStorage(() => localStorage.getItem(dismissedKey)) === 'true';
}

export function rememberFeedbackDismissed(): void {
  tryStorage(() => localStorage.setItem(dismissedKey, 'true'));
}

/** Returns whether the dialog has opened by itself in this browser session, which it does once. */
export function wasFeedbackAsked(): boolean {
  return tryStorage(() => sessionStorage.getItem(SESSION_KEYS.feedbackAsked)) === 'true';
}

export function rememberFeedbackAsked(): void {
  tryStorage(() => sessionStorage.setItem(SESSION_KEYS.feedbackAsked, 'true'));
}

/** Reads a draft. Storage may hold anything: a draft of another shape counts as none. */
export function parseDraft(stored: string): FeedbackDraft {
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return emptyDraft;
  }
  if (typeof value !== 'object' || value === null || !('rating' in value) || !('comment' in value)) return emptyDraft;
  const { rating, comment } = value;
  if (typeof rating !== 'number' || !Number.isInteger(rating) || rating < 0 || rating > FEEDBACK_STARS)
    return emptyDraft;
  return typeof comment === 'string' ? { rating, comment } : emptyDraft;
}
