import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { showToast } from '../../../components/toast-store.ts';
import type { Publication } from '../../../uploads/publications.ts';
import type { Selection } from '../../../uploads/selection.ts';
import { cancelledToast } from '../release-labels.ts';

/** Cancels a first publication, of which nothing was ever live: the draft goes, and the selection is given back. */
export function useCancelFirst(onBack: (selection: Selection) => void): (publication: Publication) => void {
  const remove = trpc.deployments.remove.useMutation({
    onError: (error) => void showToast(errorToast('The draft was not deleted', error)),
  });
  return ({ deploymentId, selection, control }) => {
    // First: what the browser stores of it goes with the publication, unless it waits again.
    onBack(selection);
    control.cancel();
    remove.mutate({ deploymentId });
    control.forget();
    showToast(cancelledToast(null));
  };
}

/** What is there completely becomes a release in this moment, and can only be cancelled as one. */
export function isFirstCancellable({ state }: Publication): boolean {
  return state !== 'creating' && state !== 'done';
}
