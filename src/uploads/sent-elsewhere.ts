import { hasUploadRecords } from '../lib/storage/storage.ts';
import { createStore, useStore } from '../lib/store.ts';
import { isUnderWay, useSending } from './sendings.ts';

const LOOK_AGAIN_MS = 2_000;

/** The deployments that other tabs of this browser send files to: a tab that is closed says nothing, so it is looked for. */
const elsewhere = createStore<readonly string[]>([], () => {
  const look = async () => {
    const held = hasUploadRecords() ? await (await import('./receiving-deployments.ts')).heldSendings() : [];
    elsewhere.set(held.map(({ deployment }) => deployment.id));
  };
  // Where looking fails, nothing is known of other tabs.
  const lookAgain = () => void look().catch(() => elsewhere.set([]));
  const timer = setInterval(lookAgain, LOOK_AGAIN_MS);
  lookAgain();
  return () => clearInterval(timer);
});

/** Returns whether another open page of this browser sends files to a deployment. */
export function useIsSentElsewhere(deploymentId: string): boolean {
  return useStore(elsewhere, (ids) => ids.includes(deploymentId));
}

/** Returns whether any page of this browser does, this one included. */
export function useIsSent(deploymentId: string): boolean {
  const sending = useSending(deploymentId);
  return useIsSentElsewhere(deploymentId) || (sending !== null && isUnderWay(sending));
}
