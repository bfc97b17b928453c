import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { useDownload } from '../../../api/use-download.ts';
import { showToast } from '../../../components/toast-store.ts';
import { useNavigate } from '../../../lib/location.ts';
import { href } from '../../../lib/paths.ts';

export type ReleaseActsOptions = {
  /** False where the newest release is followed anyway: its steps are seen without another page. */
  leadsToRetried?: boolean;
};

/** What can be done with a release from wherever it is named, besides the roll back. */
export function useReleaseActs({ leadsToRetried = true }: ReleaseActsOptions = {}) {
  const navigate = useNavigate();
  const cancel = trpc.releases.cancel.useMutation({
    onError: (error) => void showToast(errorToast('Could not cancel', error)),
  });
  const retry = trpc.releases.retry.useMutation({
    // The new release is a page of its own, where its steps are seen.
    onSuccess: ({ deploymentId, number }) => {
      if (leadsToRetried) navigate(href.release(deploymentId, number));
    },
    onError: (error) => void showToast(errorToast('Could not try again', error)),
  });
  const download = useDownload();
  return { cancel, retry, download };
}
