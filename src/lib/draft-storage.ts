import { formDraftKey, LOCAL_KEYS, tryStorage } from './storage.ts';

/** Whose the drafts of this tab are; nobody's while only a visitor typed. */
const OWNER_KEY = 'fairlead.typedBy';
const listeners = new Set<() => void>();

/** Keeps what is typed for the browser session (product page, section 11, Typing), and whose it is. */
export function keepDraft(form: string, text: string): void {
  tryStorage(() => {
    sessionStorage.setItem(formDraftKey(form), text);
    const accountId = localStorage.getItem(LOCAL_KEYS.accountId);
    if (accountId !== null) sessionStorage.setItem(OWNER_KEY, accountId);
  });
}

/**
 * Who logs out takes the drafts away, and so does another account. They outlast a session that ended by itself, and a
 * visitor's become those of the account that the visitor registers or signs in to.
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
  if (isTakenAway) for (const listener of listeners) listener();
}

/** Told when the drafts were taken away: a form that still shows one forgets it too. */
export function onDraftsTaken(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
