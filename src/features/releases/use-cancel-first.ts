import { errorToast } from '../../api/errors.ts';
import { cancelPublication, forgetPublication, type Publication } from '../../api/publication-store.ts';
import { trpc } from '../../api/trpc.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { showToast } from '../../components/toast-store.ts';
import { cancelledToast } from './release-words.ts';

/** Nothing of a first publication was ever live: cancelling takes the draft away and gives the folder back. */
export function useCancelFirst(onBack: (folder: Picked) => void): (publication: Publication) => void {
  const remove = trpc.deployments.remove.useMutation({
    onError: (error) => void showToast(errorToast('The draft was not deleted', error)),
  });
  return ({ deploymentId, folder }) => {
    // First: the copy that it may be read from after a reload goes with the publication, unless it waits again.
    onBack(folder);
    cancelPublication(deploymentId);
    remove.mutate({ deploymentId });
    forgetPublication(deploymentId);
    showToast(cancelledToast(null));
  };
}

/** What is there completely becomes a release in this moment, and is cancelled as one. */
export function isFirstCancellable({ state }: Publication): boolean {
  return state !== 'creating' && state !== 'done';
}
