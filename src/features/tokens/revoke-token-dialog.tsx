import type { ApiToken } from '../../../routers/schemas/tokens.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { showToast } from '../../components/toast-store.ts';

export function RevokeTokenDialog({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const revoke = trpc.tokens.revoke.useMutation({
    onSuccess() {
      onClose();
      showToast({ title: 'Token revoked', description: `${token.name} can do nothing any more.` });
    },
    onError(error) {
      onClose();
      showToast(errorToast('The token was not revoked', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Revoke ${token.name}?`}
      description="What uses it stops working at once. A revoked token cannot be brought back."
      confirmLabel="Revoke"
      busyLabel="Revoking…"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ tokenId: token.id })}
    />
  );
}
