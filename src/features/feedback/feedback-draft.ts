import { FEEDBACK_STARS } from '../../../routers/schemas/limits.ts';
import { storeDraft } from '../../lib/storage/draft-storage.ts';
import { formDraftKey, tryStorage } from '../../lib/storage/storage.ts';

/** A rating that was typed and not sent yet; kept for the browser session. */
export type FeedbackDraft = { rating: number; comment: string };

export const emptyDraft: FeedbackDraft = { rating: 0, comment: '' };

const FORM = 'feedback';
const draftKey = formDraftKey(FORM);

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
