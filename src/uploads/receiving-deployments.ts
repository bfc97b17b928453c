import { useEffect, useState } from 'react';
import { session } from '../api/session/session.ts';
import { uploadLock } from '../lib/storage/storage.ts';
import { isUnderWay, sendings } from './sendings.ts';
import { isOwn, listStored, type StoredSending } from './stored-selections.ts';

/** A deployment that files are being sent to, by this page or by another one of this browser. */
export type ReceivingDeployment = { id: string; name: string; isHere: boolean };

/**
 * Returns the sendings of this account that another open page of this browser holds. After a reload this page holds its
 * own until its person goes on. A browser may grant a page no locks, so that nothing is known of the others.
 */
export async function heldSendings(): Promise<StoredSending[]> {
  const { locks }: { locks?: LockManager | null } = navigator;
  const sent = listStored().flatMap(({ id, accountId, publication: sending }) =>
    sending !== null && accountId === session.accountId() && !isOwn(id) ? [{ lock: uploadLock(id), sending }] : [],
  );
  if (!locks || sent.length === 0) return [];
  const { held = [] } = await locks.query();
  return sent.filter(({ lock }) => held.some(({ name }) => name === lock)).map(({ sending }) => sending);
}

/** Returns the ids of their deployments; none where the browser does not tell. */
export function findSentElsewhere(): Promise<string[]> {
  return heldSendings().then(
    (held) => held.map(({ deployment }) => deployment.id),
    () => [],
  );
}

/** Returns the deployments that files are being sent to. */
export async function findReceiving(): Promise<ReceivingDeployment[]> {
  const own = sendings.get();
  const here = own.filter(isUnderWay).map(({ deploymentId: id, deploymentName: name }) => ({ id, name, isHere: true }));
  const held = (await heldSendings()).map(({ deployment: { id, name } }) => ({ id, name, isHere: false }));
  return [...here, ...held.filter(({ id }) => own.every(({ deploymentId }) => deploymentId !== id))];
}

/** Returns the same for a question, as it is when that is opened. */
export function useReceiving(): readonly ReceivingDeployment[] {
  const [receiving, setReceiving] = useState<readonly ReceivingDeployment[]>([]);
  useEffect(() => void findReceiving().then(setReceiving, () => undefined), []);
  return receiving;
}
