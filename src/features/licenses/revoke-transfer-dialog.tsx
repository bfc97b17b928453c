import type { License } from '../../../routers/schemas/licenses.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { formatDate } from '../../lib/format.ts';

/** Asks once before the key of a transfer stops working. */
export function RevokeTransferDialog({ license, onClose }: { license: License; onClose: () => void }) {
  const title = PLANS[license.plan].title;
  const revoke = trpc.licenses.revoke.useMutation({
    onSuccess({ endsAt }) {
      onClose();
      showToast({ title: 'Transfer revoked', description: `${title} is yours again, until ${formatDate(endsAt)}.` });
    },
    onError(error) {
      onClose();
      showToast(errorToast('The transfer was not revoked', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Revoke the transfer of ${title}?`}
      description="The key that you made stops working, and what is left of the license is yours again."
      confirmLabel="Revoke transfer"
      busyLabel="Revoking…"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ licenseId: license.id })}
    />
  );
}
