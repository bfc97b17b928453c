import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { showToast } from '../../components/toast-store.ts';

/** What can be done with a release from its page, besides the roll back. */
export function useReleaseActs(onRetried: (release: { deploymentId: string; number: number }) => void) {
  const cancel = trpc.releases.cancel.useMutation({
    onError: (error) => void showToast(errorToast('Could not cancel', error)),
  });
  const retry = trpc.releases.retry.useMutation({
    onSuccess: (release) => onRetried(release),
    onError: (error) => void showToast(errorToast('Could not try again', error)),
  });
  return { cancel, retry };
}
