import { hasUploadRecords } from '../../lib/storage/storage.ts';
import { createStore, useStore } from '../../lib/store.ts';
import { isUnderWay, useSending } from '../sendings.ts';

const LOOK_AGAIN_MS = 2_000;

/** The deployments that other tabs of this browser send files to; looked for, since a tab that is closed says nothing. */
const elsewhere = createStore<readonly string[]>([], () => {
  const look = () => {
    if (!hasUploadRecords()) return elsewhere.set([]);
    // What cannot be loaded now is loaded the next time.
    import('../receiving-deployments.ts').then((its) => its.findSentElsewhere()).then(elsewhere.set, () => {});
  };
  look();
  const timer = setInterval(look, LOOK_AGAIN_MS);
  return () => clearInterval(timer);
});

/** Returns whether an open page of this browser, this one or another, sends files to a deployment. */
export function useIsSent(deploymentId: string): boolean {
  const isElsewhere = useStore(elsewhere, (ids) => ids.includes(deploymentId));
  const sending = useSending(deploymentId);
  return isElsewhere || (sending !== null && isUnderWay(sending));
}
