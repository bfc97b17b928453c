import { FEEDBACK_MAIN_APP } from '../../../routers/schemas/limits.ts';
import { feedbackDismissedKey, SESSION_KEYS, tryStorage } from '../../lib/storage/storage.ts';

const dismissedKey = feedbackDismissedKey(FEEDBACK_MAIN_APP);

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
