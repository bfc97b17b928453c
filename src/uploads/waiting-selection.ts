import { useEffect } from 'react';
import { isSignedOut, session } from '../api/session/session.ts';
import { hasUploadRecords, SESSION_KEYS } from '../lib/storage/storage.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { Selection } from './selection/selection.ts';
import type { StoredSelection } from './stored-selections.ts';

/**
 * The selection that waits while its owner registers, starts the trial or changes screens. A visitor's becomes that of
 * the account that they register or sign in to. It is removed when its owner logs out or another account takes over; a
 * session that ended by itself only hides it until the same account is back.
 */
export type Waiting = { selection: Selection | null; owner: string | null };

const NOTHING: Waiting = { selection: null, owner: null };
const waiting = createStore<Waiting>(NOTHING);
const isLeftOver = sessionStorage.getItem(SESSION_KEYS.ownUploads) !== null && hasUploadRecords();
/** A selection from before a reload is looked for once for each page. */
const restoring = createStore<'wanted' | 'running' | 'done'>(isLeftOver ? 'wanted' : 'done');
let isFollowing = false;

/** Sets the selection that waits for a plan or a sign-in, even through a reload; null removes it. */
export function setWaiting(selection: Selection | null): void {
  followSession();
  const before = waiting.get().selection;
  waiting.set({ selection, owner: selection === null ? null : session.accountId() });
  if (before !== null || selection !== null) void storeWaiting(selection, before);
}

/**
 * The code that stores a selection came with the code that reads one, so that only a page on which nothing was
 * selected has to load it.
 */
async function storeWaiting(selection: Selection | null, before: Selection | null): Promise<void> {
  const { endStoredWaiting, storeSelection } = await import('./stored-selections.ts');
  if (before !== null && before !== selection) endStoredWaiting(before);
  if (selection !== null && selection === waiting.get().selection) storeSelection(selection, null);
}

/** Returns the selection that waits, or null; after a reload it is looked for first. */
export function useWaiting(): { selection: Selection | null; isRestoring: boolean } {
  useEffect(() => void restoreWaiting(), []);
  return {
    selection: useStore(waiting, (state) => shownTo(state, session.accountId())),
    isRestoring: useStore(restoring, (state) => state !== 'done'),
  };
}

/** Returns the selection if it may be shown to this account, or to a visitor (null). */
export function shownTo({ selection, owner }: Waiting, accountId: string | null): Selection | null {
  return owner === null || owner === accountId ? selection : null;
}

/** Returns the selection that still waits after the session has changed. */
export function afterAccountChange(
  { selection, owner }: Waiting,
  accountId: string | null,
  hasLoggedOut: boolean,
): Waiting {
  const isTakenOver = accountId !== null && owner !== null && accountId !== owner;
  if (selection === null || isTakenOver || (accountId === null && hasLoggedOut)) return { ...NOTHING };
  return { selection, owner: accountId ?? owner };
}

/**
 * Follows the session from the first selection on, so that the rules of `Waiting` about accounts hold on every page.
 */
function followSession(): void {
  if (isFollowing) return;
  isFollowing = true;
  session.onAccountChange(() => {
    waiting.set(afterAccountChange(waiting.get(), session.accountId(), isSignedOut()));
  });
}

async function restoreWaiting(): Promise<void> {
  if (restoring.get() !== 'wanted') return;
  restoring.set('running');
  try {
    const { restoredSelections } = await import('./stored-selections.ts');
    const found = (await restoredSelections()).find(({ record }) => record.publication === null);
    // A selection dropped meanwhile is newer.
    if (found === undefined || waiting.get().selection !== null) return;
    const { record, selection } = found;
    if (selection === null) {
      askToReselect(record);
      return;
    }
    followSession();
    waiting.set({ selection, owner: record.accountId ?? session.accountId() });
  } finally {
    restoring.set('done');
  }
}

/** Records whose files a reload lost: the person is asked to choose each of them again. */
const reselects = createStore<readonly StoredSelection[]>([]);

/** Asks for the files of a record until they were chosen again or are no longer wanted. */
export function askToReselect(record: StoredSelection): void {
  reselects.set([...reselects.get().filter(({ id }) => id !== record.id), record]);
}

/** Stops asking for the files of a deployment (null: of the waiting selection), and returns the record. */
export function stopReselect(deploymentId: string | null): StoredSelection | null {
  const record = reselects.get().find(isOf(deploymentId)) ?? null;
  if (record === null) return null;
  reselects.set(reselects.get().filter((other) => other !== record));
  void import('./stored-selections.ts').then(({ dropStored }) => dropStored(record.id));
  return record;
}

/** Returns the record to choose again for a deployment; for none (null), that of the waiting selection. */
export function useReselect(deploymentId: string | null): StoredSelection | null {
  const record = useStore(reselects, (all) => all.find(isOf(deploymentId)) ?? null);
  const isOthers = record !== null && record.accountId !== null && record.accountId !== session.accountId();
  return isOthers ? null : record;
}

function isOf(deploymentId: string | null): (record: StoredSelection) => boolean {
  return ({ publication }) => (publication?.deployment.id ?? null) === deploymentId;
}

/** Returns the name of the selection that a person is asked to choose again. */
export function reselectTitle({ name, noun }: Pick<StoredSelection, 'name' | 'noun'>): string {
  return name === '' ? `the ${noun === 'ZIP' ? 'ZIP' : 'files'}` : name;
}
