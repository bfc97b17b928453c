import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { showToast } from '../../../components/overlays/toast-store.ts';
import type { Publication } from '../../../uploads/publications.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import { cancelledToast } from '../release-labels.ts';

/**
 * Cancels a first publication, before anything was ever live: the draft is deleted, and the selection is given back.
 */
export function useCancelFirst(onBack: (selection: Selection) => void): (publication: Publication) => void {
  const remove = trpc.deployments.remove.useMutation({
    onError: (error) => void showToast(errorToast('The draft was not deleted', error)),
  });
  return ({ deploymentId, selection, control }) => {
    // This comes first: the browser's stored data goes with the publication, unless the selection waits again.
    onBack(selection);
    control.cancel();
    remove.mutate({ deploymentId });
    control.forget();
    showToast(cancelledToast(null));
  };
}

/**
 * Returns whether it can still be cancelled as a publication: once everything has arrived it becomes a release, and
 * where the deployment was deleted nothing is left to cancel.
 */
export function isFirstCancellable({ state, failure }: Publication): boolean {
  return state !== 'creating' && state !== 'done' && failure?.isDeploymentGone !== true;
}
