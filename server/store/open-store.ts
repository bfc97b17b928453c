import type { RateCounters } from '../lib/rate-counters.ts';
import { createDiskStore } from './disk/disk.ts';
import type { OnDiskFull } from './disk/space.ts';
import { createGridStore } from './gridfs/gridfs.ts';
import type { ArtifactStore, OnCorruption, StoreChoice, StoreClock } from './store.ts';

type StoreOptions = {
  minFreeBytes: number;
  rateCounters: RateCounters;
  databaseFolder: string | undefined;
  onDiskFull: OnDiskFull;
  onCorruption: OnCorruption;
  now: StoreClock;
};

/**
 * Opens the chosen store; the one in the database needs its open connection. Throws an Error with a sentence that
 * names the folder when it cannot be used.
 */
export function openStore(choice: StoreChoice, options: StoreOptions): Promise<ArtifactStore> {
  return choice.kind === 'gridfs' ? createGridStore(options) : createDiskStore({ folder: choice.folder, ...options });
}
