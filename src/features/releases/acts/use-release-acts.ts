import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { useDownload } from '../../../api/use-download.ts';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useNavigate } from '../../../lib/browser/location.ts';
import { href } from '../../../lib/paths/paths.ts';

export type ReleaseActsOptions = {
  /** False when the page already follows the newest release: its steps are visible without another page. */
  leadsToRetried?: boolean;
};

/** Returns the acts on a release besides the rollback, for any screen. */
export function useReleaseActs({ leadsToRetried = true }: ReleaseActsOptions = {}) {
  const navigate = useNavigate();
  const cancel = trpc.releases.cancel.useMutation({
    onError: (error) => void showToast(errorToast('Could not cancel', error)),
  });
  const retry = trpc.releases.retry.useMutation({
    // The new release has a page of its own, which shows its steps.
    onSuccess: ({ deploymentId, number }) => {
      if (leadsToRetried) navigate(href.release(deploymentId, number));
    },
    onError: (error) => void showToast(errorToast('Could not try again', error)),
  });
  const download = useDownload();
  return { cancel, retry, download };
}
