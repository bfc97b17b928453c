import { Download } from 'lucide-react';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { saveDownload } from '../../api/use-download.ts';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

/** Downloads all of the account as one ZIP; the browser saves it and shows the progress. */
export function ExportAccount() {
  const prepare = trpc.account.export.useMutation({
    // It changes nothing that a screen shows.
    meta: { refresh: false },
    onSuccess: (link) => {
      saveDownload(link);
      showToast({ title: 'Export started', description: `Your browser saves ${link.fileName}.` });
    },
    onError: (error) => void showToast(errorToast('Could not export', error)),
  });
  return (
    <Setting
      title="Export"
      action={
        <Button isBusy={prepare.isPending} busyLabel="Preparing…" onClick={() => prepare.mutate()}>
          <Download />
          Export everything
        </Button>
      }
    >
      <p>
        One ZIP with your profile, settings, plan, deployments, releases with their logs, visits, messages to us, and
        the files of every live release. Files of earlier releases are not in it: download them from each release’s
        page.
      </p>
    </Setting>
  );
}
