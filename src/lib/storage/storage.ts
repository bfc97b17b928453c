/**
 * All keys of the app in the browser's storage. Data of the account and of all tabs is in localStorage, data of one
 * browser session of one tab in sessionStorage.
 */
export const LOCAL_KEYS = {
  accessToken: 'fairlead.accessToken',
  /** Milliseconds by this browser's clock. It stays when the session ends: somebody was signed in here. */
  accessExpiresAt: 'fairlead.accessExpiresAt',
  /** The account that the token belongs to, once known. */
  accountId: 'fairlead.accountId',
  /** Marks that a session was held here, even while its token is gone. */
  sessionHeld: 'fairlead.sessionHeld',
  /** Set by Log out until the next login: no silent refresh into an account that was left. */
  signedOut: 'fairlead.signedOut',
  lastRefreshAt: 'fairlead.lastRefreshAt',
  refreshRefusedAt: 'fairlead.refreshRefusedAt',
  /** The server asked for no refresh before this time. */
  refreshNotBefore: 'fairlead.refreshNotBefore',
  disclaimerSeen: 'disclaimerSeen',
  /** The account that put the request to confirm its address away, and the day that it did. */
  confirmPutAway: 'fairlead.confirmPutAway',
  /** Marks that edits may wait here, in IndexedDB: most pages need not look. */
  edits: 'fairlead.edits',
  /** Read by `public/theme.js` before the first paint as well. */
  theme: 'fairlead.theme',
} as const;

export const SESSION_KEYS = {
  lastPath: 'fairlead.lastPath',
  expiredRedirectDone: 'fairlead.expiredRedirectDone',
  expiryMarker: 'fairlead.expiryMarker',
  feedbackAsked: 'fairlead.feedbackAsked',
  /** The address that a sign-in at a platform returns to. */
  returnTo: 'fairlead.returnTo',
  /** The uploads that this tab began: without locks in the browser, only that tab continues them. */
  ownUploads: 'fairlead.ownUploads',
} as const;

/** The name of the lock that a page holds on an upload while it is open. */
export const uploadLock = (id: string): string => `fairlead-upload-${id}`;

/** Stores that feedback was dismissed for good, by the key of its subject. */
export const feedbackDismissedKey = (about: string): string => `fairlead.feedbackDismissed.${about}`;
/** Stores text that was typed into a form and not sent yet; never a password. */
export const formDraftKey = (form: string): string => `fairlead.draft.${form}`;

/** Stores a selection that waits or is being sent, for a reload to find; its files are in IndexedDB. */
export const UPLOAD_RECORD_PREFIX = 'fairlead.upload.';

/** Returns whether there is any such record: most pages need no more. */
export function hasUploadRecords(): boolean {
  return Object.keys(localStorage).some((key) => key.startsWith(UPLOAD_RECORD_PREFIX));
}

/** Runs work on the storage, which a browser may refuse: then nothing is remembered, and nothing breaks. */
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

/** Stores the choice and applies it at once; `public/theme.js` applies it, here and before the first paint. */
export function writeTheme(theme: Theme): void {
  localStorage.setItem(LOCAL_KEYS.theme, theme);
  window.dispatchEvent(new Event('fairlead:theme'));
}
