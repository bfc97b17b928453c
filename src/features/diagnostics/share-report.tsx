import type { Report } from '../../../routers/schemas/diagnostics.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { formatDate } from '../../lib/format.ts';
import { writtenName } from '../../lib/written-name.ts';

type ShareReportProps = { report: Report; onClose: () => void };

/** Makes a link to a report that expires, and can end it at once. */
export function ShareReportDialog({ report, onClose }: ShareReportProps) {
  const { id: reportId, sharedUntil } = report;
  const share = trpc.diagnostics.share.useMutation({
    onError: (error) => showToast(errorToast('The link could not be created', error)),
  });
  const stop = trpc.diagnostics.stopSharing.useMutation({
    onSuccess: () => {
      onClose();
      showToast({ title: 'Link revoked', description: `It no longer shows the report of ${writtenName(report)}.` });
    },
    onError: (error) => showToast(errorToast('The link could not be revoked', error)),
  });
  const link = share.data;
  return (
    <FormDialog
      title="Share this report"
      description="Anyone with the link can see this report for a week without logging in. Later reports are not included."
      submitLabel={link === undefined ? 'Create a link' : 'Done'}
      busyLabel="Creating the link…"
      isBusy={share.isPending}
      onSubmit={() => (link === undefined ? share.mutate({ reportId }) : onClose())}
      onClose={onClose}
    >
      {link !== undefined && (
        <div className="flex items-center gap-2">
          <p className="min-w-0 font-mono text-sm wrap-anywhere">{link.url}</p>
          <CopyButton text={link.url} label="Copy the link" />
        </div>
      )}
      {link === undefined && sharedUntil !== null && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-sm text-ink-muted">
            A link already exists. It works until {formatDate(sharedUntil)}. A new one replaces it.
          </p>
          <Button size="sm" isBusy={stop.isPending} busyLabel="Revoking…" onClick={() => stop.mutate({ reportId })}>
            Revoke the link
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
