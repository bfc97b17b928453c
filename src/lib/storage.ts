/**
 * Everything that the app keeps in the browser, by key. What belongs to the account and to all tabs is in localStorage,
 * what belongs to one browser session of one tab in sessionStorage.
 */
export const LOCAL_KEYS = {
  accessToken: 'fairlead.accessToken',
  /** Milliseconds by this browser's clock. It stays when the session ends: somebody was signed in here. */
  accessExpiresAt: 'fairlead.accessExpiresAt',
  /** The account that the token belongs to, once known. */
  accountId: 'fairlead.accountId',
  /** The mark that a session was held here, also while its token is gone. */
  sessionHeld: 'fairlead.sessionHeld',
  /** Set by Log out until the next login: no silent refresh into an account that was left. */
  signedOut: 'fairlead.signedOut',
  lastRefreshAt: 'fairlead.lastRefreshAt',
  refreshRefusedAt: 'fairlead.refreshRefusedAt',
  /** Until when the server asked not to be bothered with a refresh. */
  refreshNotBefore: 'fairlead.refreshNotBefore',
  disclaimerSeen: 'disclaimerSeen',
  /** Read by `public/theme.js` before the first paint as well. */
  theme: 'fairlead.theme',
} as const;

export const SESSION_KEYS = {
  lastPath: 'fairlead.lastPath',
  expiredRedirectDone: 'fairlead.expiredRedirectDone',
  expiryMarker: 'fairlead.expiryMarker',
  feedbackAsked: 'fairlead.feedbackAsked',
  /** The uploads that this tab began: where the browser has no locks, only that tab goes on with them. */
  ownUploads: 'fairlead.ownUploads',
} as const;

/** Feedback dismissed for good, by the key of what was asked about. */
export const feedbackDismissedKey = (about: string): string => `fairlead.feedbackDismissed.${about}`;
/** What was typed into a form and not sent yet; never a password. */
export const formDraftKey = (form: string): string => `fairlead.draft.${form}`;

/** What is known of a selection that waits or is on its way, for a reload to find; its files are in IndexedDB. */
export const UPLOAD_RECORD_PREFIX = 'fairlead.upload.';

/** Whether anything of that kind is here: all that most pages have to know. */
export function hasUploadRecords(): boolean {
  return Object.keys(localStorage).some((key) => key.startsWith(UPLOAD_RECORD_PREFIX));
}

/** A browser may refuse its storage: then nothing is remembered, and nothing breaks. */
export function tryStorage<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}

export type Theme = 'light' | 'dark' | 'system';

export function readTheme(): Theme {
  const stored = localStorage.getItem(LOCAL_KEYS.theme);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Stores the choice and applies it at once; `public/theme.js` does the applying, here and before the first paint. */
export function writeTheme(theme: Theme): void {
  localStorage.setItem(LOCAL_KEYS.theme, theme);
  window.dispatchEvent(new Event('fairlead:theme'));
}
