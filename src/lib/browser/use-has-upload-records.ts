import { useSyncExternalStore } from 'react';
import { hasUploadRecords } from '../storage/storage.ts';

/** Returns whether anything that waits or is being sent is stored, and follows those of other tabs. */
export function useHasUploadRecords(): boolean {
  return useSyncExternalStore(subscribe, hasUploadRecords);
}

/** The browser tells a tab what the others store, and not what it stores itself. */
function subscribe(onChange: () => void): () => void {
  addEventListener('storage', onChange);
  return () => removeEventListener('storage', onChange);
}
