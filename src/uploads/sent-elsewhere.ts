import { session } from '../api/session/session.ts';
import { uploadLock } from '../lib/storage/storage.ts';
import { listStored, type StoredSending } from './stored-selections.ts';

/**
 * Returns the sendings of this account that an open page of this browser holds, this one included. A browser may
 * grant a page no locks, so that nothing is known of the others.
 */
export async function heldSendings(): Promise<StoredSending[]> {
  const { locks }: { locks?: LockManager | null } = navigator;
  const sent = listStored().flatMap(({ id, accountId, publication: sending }) =>
    sending !== null && accountId === session.accountId() ? [{ lock: uploadLock(id), sending }] : [],
  );
  if (!locks || sent.length === 0) return [];
  const { held = [] } = await locks.query();
  return sent.filter(({ lock }) => held.some(({ name }) => name === lock)).map(({ sending }) => sending);
}
