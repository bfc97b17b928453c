import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

type RevokeDialogProps = { certificateId: string; name: string; onClose: () => void };

export function RevokeDialog({ certificateId, name, onClose }: RevokeDialogProps) {
  const revoke = trpc.certificates.revoke.useMutation({
    onSuccess: ({ history }) => {
      onClose();
      showToast({
        title: 'Certificate revoked',
        description: history[0]?.detail ?? `It is no longer used for ${name}.`,
      });
    },
    onError: (error) => {
      onClose();
      showToast(errorToast('Could not revoke the certificate', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Revoke the certificate of ${name}?`}
      description="Do this if somebody else may have its key. Visitors may see a warning until a new certificate is issued, and revoking cannot be undone."
      confirmLabel="Revoke"
      busyLabel="Revoking…"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ certificateId })}
    />
  );
}
