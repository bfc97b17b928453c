import { useSyncExternalStore } from 'react';
import type { PickedFolder } from './upload-folder.ts';

/**
 * The folder that waits while its owner registers, starts the trial or changes screens. Files cannot be written down
 * anywhere, so it lives as long as the page does.
 */
let pending: PickedFolder | null = null;
const listeners = new Set<() => void>();

export function setPendingDrop(folder: PickedFolder | null): void {
  pending = folder;
  for (const listener of listeners) listener();
}

/** Hands it out and forgets it. */
export function takePendingDrop(): PickedFolder | null {
  const taken = pending;
  if (taken !== null) setPendingDrop(null);
  return taken;
}

export function peekPendingDrop(): PickedFolder | null {
  return pending;
}

export function subscribePendingDrop(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function usePendingDrop(): PickedFolder | null {
  return useSyncExternalStore(subscribePendingDrop, peekPendingDrop);
}
