import { useNavigate } from 'react-router';
import type { Release } from '../../../routers/schemas/releases.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { showToast } from '../../components/toast-store.ts';
import { ownerLabel } from '../../lib/deployment-label.ts';
import { href } from '../../lib/paths.ts';

export type RollBackTarget = Pick<Release, 'id' | 'number' | 'deploymentId' | 'deploymentName' | 'deploymentSlug'>;

export type RollBackDialogProps = { target: RollBackTarget; onClose: () => void };

/** The second of the two clicks. It leads to the release, where the roll back is seen live. */
export function RollBackDialog({ target, onClose }: RollBackDialogProps) {
  const navigate = useNavigate();
  const rollBack = trpc.deployments.rollBack.useMutation({
    onSuccess: () => {
      onClose();
      void navigate(href.release(target.deploymentId, target.number));
    },
    onError: (error) => {
      onClose();
      showToast(errorToast('Could not roll back', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Roll back ${ownerLabel(target)} to release ${target.number}?`}
      description="Visitors see that release again in about a second. The release that is live now is kept, and can be brought back the same way."
      confirmLabel={`Roll back to ${target.number}`}
      busyLabel="Rolling back…"
      isDestructive={false}
      isBusy={rollBack.isPending}
      onConfirm={() => rollBack.mutate({ deploymentId: target.deploymentId, releaseId: target.id })}
    />
  );
}
