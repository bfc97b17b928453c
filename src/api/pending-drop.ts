import { useSyncExternalStore } from 'react';
import { later } from '../lib/later.ts';
import { hasUploadRecords, SESSION_KEYS } from '../lib/storage.ts';
import { createPendingFolder } from './pending-folder.ts';
import { isSignedOut, session } from './session.ts';
import { askAgain, stopAsking } from './upload-asked.ts';
import './upload-follow.ts';
import type { Picked } from './upload-picks.ts';
import { restoredUploads } from './upload-restored.ts';

/** The folder or ZIP that waits. It lives in the page; what a reload needs of it is kept beside (upload-copy.ts). */
const pendingFolder = createPendingFolder({
  accountId: () => session.accountId(),
  isSignedOut,
  onAccountChange: (listener) => void session.onAccountChange(listener),
});

/** No page needs it before something was dropped. */
const keeping = later(() => import('./upload-copy.ts'));

let isRestoring = sessionStorage.getItem(SESSION_KEYS.ownUploads) !== null && hasUploadRecords();
const listeners = new Set<() => void>();
void findWaiting()
  // What was left stays for the next page.
  .catch(() => {})
  .finally(() => {
    isRestoring = false;
    for (const listener of listeners) listener();
  });

async function findWaiting(): Promise<void> {
  const all = await restoredUploads();
  const [first, ...others] = all.filter(({ record }) => record.publication === null);
  for (const other of others) other.letGo();
  if (first === undefined) return;
  // What was dropped meanwhile is newer.
  if (pendingFolder.get() !== null) return first.letGo();
  first.adopt('waiting');
  if (first.picked === null) askAgain(first.record);
  else pendingFolder.set(first.picked, first.record.accountId);
  await keeping.fetch();
}

/** What waits for a plan or a sign-in, kept through a reload as well; null takes it away. */
export function setPendingDrop(folder: Picked | null): void {
  pendingFolder.set(folder, session.accountId());
  const keeper = keeping.read();
  if (keeper !== null) keeper.keepWaiting(folder);
  else if (folder !== null) void keepLater();
}

/** Whatever keeps it from being kept, the page itself has it. */
async function keepLater(): Promise<void> {
  const keeper = await keeping.fetch().catch(() => null);
  const folder = pendingFolder.get();
  if (folder !== null) keeper?.keepWaiting(folder);
}

/** It begins to be published, or is given up: it is asked for no more. */
export function forgetAsked(): void {
  stopAsking(null);
}

/** What waits, or null. */
export function usePendingDrop(): Picked | null {
  return useSyncExternalStore(pendingFolder.subscribe, pendingFolder.get);
}

/** Right after a reload of a tab in which something waited. */
export function useIsRestoring(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isRestoring,
  );
}
