import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { showToast } from '../../../components/overlays/toast-store.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import type { Sending } from '../../../uploads/sendings.ts';
import { cancelledToast } from '../release-labels.ts';

/**
 * Cancels a first publication, before anything was ever live: the draft is deleted, and the selection is given back.
 */
export function useCancelFirst(onBack: (selection: Selection) => void): (sending: Sending) => void {
  const remove = trpc.deployments.remove.useMutation({
    onError: (error) => void showToast(errorToast('The draft was not deleted', error)),
  });
  return ({ deploymentId, selection, control }) => {
    // This comes first: the browser's stored data goes with the sending, unless the selection waits again.
    onBack(selection);
    control.cancel();
    remove.mutate({ deploymentId });
    control.forget();
    showToast(cancelledToast(null));
  };
}

/**
 * Returns whether it can still be cancelled as a sending: once everything has arrived it becomes a release, and
 * where the deployment was deleted nothing is left to cancel.
 */
export function isFirstCancellable({ state, failure }: Sending): boolean {
  return state !== 'creating' && state !== 'done' && failure?.isDeploymentGone !== true;
}
