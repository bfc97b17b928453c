import { useState } from 'react';
import type { License } from '../../../routers/schemas/licenses.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { formatDate } from '../../lib/format.ts';

type TransferDialogProps = { license: License; onClose: () => void };

/** Asks once, then shows the new key once: it is stored nowhere. */
export function TransferDialog({ license, onClose }: TransferDialogProps) {
  const [key, setKey] = useState<string | null>(null);
  const transfer = trpc.licenses.transfer.useMutation({
    onSuccess: (made) => setKey(made.key),
    onError(error) {
      onClose();
      showToast(errorToast('The license was not transferred', error));
    },
  });
  const title = PLANS[license.plan].title;
  if (key !== null) return <KeyDialog license={license} transferKey={key} onClose={onClose} />;
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Transfer this license for ${title}?`}
      description={
        <>
          <p>
            It ends for you now. You get a new key for what is left of it, until {formatDate(license.endsAt)}, to give
            to somebody with an account of their own.
          </p>
          <p className="mt-2">
            If no other license or payment covers your plan, it ends as well: your deployments stay live and become
            read-only.
          </p>
        </>
      }
      confirmLabel="Transfer"
      busyLabel="Transferring…"
      isBusy={transfer.isPending}
      onConfirm={() => transfer.mutate({ licenseId: license.id })}
    />
  );
}

function KeyDialog({ license, transferKey, onClose }: TransferDialogProps & { transferKey: string }) {
  return (
    <Dialog
      isOpen
      title="Copy the new key now"
      description={`You won’t see it again. Anyone who redeems it gets ${PLANS[license.plan].title} until ${formatDate(license.endsAt)}. As long as nobody has, you can revoke the transfer.`}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-control border border-line bg-surface-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 grow py-1.5 font-mono text-sm break-all">{transferKey}</code>
        <CopyButton text={transferKey} label="Copy key" />
      </div>
    </Dialog>
  );
}
