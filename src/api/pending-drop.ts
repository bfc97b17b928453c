import { useSyncExternalStore } from 'react';
import { createPendingFolder } from './pending-folder.ts';
import { isSignedOut, session } from './session.ts';
import type { PickedFolder } from './upload-folder.ts';

/** Files cannot be written down anywhere, so it lives as long as the page does. */
const pendingFolder = createPendingFolder({
  accountId: () => session.accountId(),
  isSignedOut,
  onAccountChange: (listener) => void session.onAccountChange(listener),
});

export function setPendingDrop(folder: PickedFolder | null): void {
  pendingFolder.set(folder);
}

export function usePendingDrop(): PickedFolder | null {
  return useSyncExternalStore(pendingFolder.subscribe, pendingFolder.get);
}
