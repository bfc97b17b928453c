import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { Release } from '../../../../routers/schemas/releases.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button, type ButtonProps } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useNavigate } from '../../../lib/browser/location.ts';
import { ownerLabel } from '../../../lib/deployment-label.ts';
import { href } from '../../../lib/paths.ts';
import { goneBackAt, seenAgainText } from './going-back.ts';

export type RollBackTarget = Pick<
  Release,
  'id' | 'number' | 'platform' | 'deploymentId' | 'deploymentName' | 'deploymentSlug'
>;

export type RollBackDialogProps = { target: RollBackTarget | null; onClose: () => void };

/** Asks before a rollback while there is a target, and leads to its release, which shows the rollback. */
export function RollBackDialog({ target, onClose }: RollBackDialogProps) {
  return target && <OpenDialog target={target} onClose={onClose} />;
}

function OpenDialog({ target, onClose }: RollBackDialogProps & { target: RollBackTarget }) {
  const navigate = useNavigate();
  const rollBack = trpc.deployments.rollBack.useMutation({
    onSuccess: () => {
      onClose();
      navigate(href.release(target.deploymentId, target.number));
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
      description={`Visitors see that release again ${seenAgainText(target)}. The release that is live now is kept, and can be brought back the same way.`}
      confirmLabel={`Roll back to ${target.number}`}
      busyLabel="Rolling back…"
      isDestructive={false}
      isBusy={rollBack.isPending}
      onConfirm={() => rollBack.mutate({ deploymentId: target.deploymentId, releaseId: target.id })}
    />
  );
}

/** The button that asks whether to roll back. */
export function RollBackButton({
  target,
  label = 'Roll back',
  ...look
}: { target: RollBackTarget; label?: string } & Pick<ButtonProps, 'size' | 'variant'>) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...look} onClick={() => setAsking(true)}>
        <Undo2 /> {label}
        <span className="sr-only">
          {label === 'Undo' && ', roll back'} to release {target.number}
        </span>
      </Button>
      <RollBackDialog target={isAsking ? target : null} onClose={() => setAsking(false)} />
    </>
  );
}

/**
 * Rolls back to the newest release that was live and is not; its place is reserved until it is known whether there is
 * one.
 */
export function RollBackToEarlier({ deploymentId, label }: { deploymentId: string; label?: string }) {
  const earlier = trpc.releases.list.useQuery({ deploymentId, state: 'superseded', limit: 1 });
  const target = earlier.data?.items.find((release) => goneBackAt(release) === null);
  if (earlier.isSuccess && target === undefined) return null;
  return (
    <div className="flex min-h-control-sm">
      {target && <RollBackButton target={target} size="sm" {...(label !== undefined && { label })} />}
    </div>
  );
}
