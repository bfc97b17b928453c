import type { Picked } from './upload-picks.ts';

/** What has to be known of the session to tell whose folder it is. */
type Whose = {
  accountId(): string | null;
  /** Somebody logged out, rather than lost the session. */
  isSignedOut(): boolean;
  onAccountChange(listener: () => void): void;
};

/**
 * The folder that waits while its owner registers, starts the trial or changes screens. A visitor's becomes that of the
 * account it registers or signs in to. It goes when its owner logs out or another account takes over; a session that
 * ended by itself only hides it until the same account is back (product page, section 11, Session).
 */
export function createPendingFolder(whose: Whose) {
  let pending: Picked | null = null;
  let owner: string | null = null;
  let shown: Picked | null = null;
  const listeners = new Set<() => void>();

  function show(): void {
    const next = owner === null || owner === whose.accountId() ? pending : null;
    if (next === shown) return;
    shown = next;
    for (const listener of listeners) listener();
  }

  whose.onAccountChange(() => {
    const accountId = whose.accountId();
    const isTakenOver = accountId !== null && owner !== null && accountId !== owner;
    if (isTakenOver || (accountId === null && whose.isSignedOut())) pending = null;
    owner = pending === null ? null : (accountId ?? owner);
    show();
  });

  return {
    /** `accountId`: whose it is, when that is not who is signed in now; null for a visitor's. */
    set(folder: Picked | null, accountId: string | null = whose.accountId()): void {
      pending = folder;
      owner = folder === null ? null : (accountId ?? whose.accountId());
      show();
    },
    get: () => shown,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
