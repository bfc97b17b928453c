import { session } from '../api/session/session.ts';
import { uploadLock } from '../lib/storage/storage.ts';
import { listStored, type StoredPublication } from './stored-selections.ts';

/**
 * Returns the publications of this account that an open page of this browser holds, this one included. A browser may
 * grant a page no locks, so that nothing is known of the others.
 */
export async function heldPublications(): Promise<StoredPublication[]> {
  const { locks }: { locks?: LockManager | null } = navigator;
  const sent = listStored().flatMap(({ id, accountId, publication }) =>
    publication !== null && accountId === session.accountId() ? [{ lock: uploadLock(id), publication }] : [],
  );
  if (!locks || sent.length === 0) return [];
  const { held = [] } = await locks.query();
  return sent.filter(({ lock }) => held.some(({ name }) => name === lock)).map(({ publication }) => publication);
}
