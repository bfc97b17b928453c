import { createDiskStore } from './disk.ts';
import { createGridStore } from './gridfs.ts';
import type { ArtifactStore, OnDamage, StoreChoice } from './store.ts';

/**
 * Opens the store that was chosen; the one in the database needs its open connection.
 * Throws an Error with a sentence that names the folder when it cannot be used.
 */
export function openStore(choice: StoreChoice, minFreeBytes: number, onDamage: OnDamage): Promise<ArtifactStore> {
  return choice.kind === 'gridfs'
    ? createGridStore({ minFreeBytes, onDamage })
    : createDiskStore({ folder: choice.folder, minFreeBytes, onDamage });
}
