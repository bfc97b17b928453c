import { createStore } from '../store.ts';
import { formDraftKey, LOCAL_KEYS, tryStorage } from './storage.ts';

/** The owner of this tab's drafts; absent while only a visitor typed. */
const OWNER_KEY = 'fairlead.typedBy';
/** Counts the removals of drafts, so that a form which still shows one notices. */
const timesTakenAway = createStore(0);

/** Stores typed text for the browser session, and its owner. */
export function storeDraft(form: string, text: string): void {
  tryStorage(() => {
    sessionStorage.setItem(formDraftKey(form), text);
    const accountId = localStorage.getItem(LOCAL_KEYS.accountId);
    if (accountId !== null) sessionStorage.setItem(OWNER_KEY, accountId);
  });
}

/**
 * Removes the drafts on logout and for another account. They outlast a session that expired, and a visitor's drafts
 * become those of the account that the visitor registers or signs in to.
 */
export function followDrafts({ accountId, isSignedOut }: { accountId: string | null; isSignedOut: boolean }): void {
  const isTakenAway = tryStorage(() => {
    const owner = sessionStorage.getItem(OWNER_KEY);
    const isOver = owner !== null && (isSignedOut || (accountId !== null && accountId !== owner));
    if (isOver) {
      const drafts = Object.keys(sessionStorage).filter((key) => key.startsWith(formDraftKey('')));
      for (const key of [OWNER_KEY, ...drafts]) sessionStorage.removeItem(key);
    }
    if (accountId !== null) sessionStorage.setItem(OWNER_KEY, accountId);
    return isOver;
  });
  if (isTakenAway) timesTakenAway.set(timesTakenAway.get() + 1);
}

/** Calls back when the drafts were removed, so that a form that still shows one empties itself too. */
export const onDraftsTaken = timesTakenAway.subscribe;
