import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { ListedRelease } from '../../../../routers/schemas/releases.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button, type ButtonProps } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useNavigate } from '../../../lib/browser/location.ts';
import { ownerLabel } from '../../../lib/deployment-label.ts';
import { href } from '../../../lib/paths.ts';
import { goneBackAt, seenAgainText, wayTexts } from './going-back.ts';

export type RollBackTarget = Pick<
  ListedRelease,
  'id' | 'number' | 'servingNumber' | 'platform' | 'deploymentId' | 'deploymentName' | 'deploymentSlug'
>;

export type RollBackDialogProps = { target: RollBackTarget | null; onClose: () => void };

/** Asks before a rollback while there is a target, and leads to its release, which shows the rollback. */
export function RollBackDialog({ target, onClose }: RollBackDialogProps) {
  return target && <OpenDialog target={target} onClose={onClose} />;
}

function OpenDialog({ target, onClose }: RollBackDialogProps & { target: RollBackTarget }) {
  const navigate = useNavigate();
  const { label, question, busy, failed } = wayTexts(target);
  const rollBack = trpc.deployments.rollBack.useMutation({
    onSuccess: () => {
      onClose();
      navigate(href.release(target.deploymentId, target.number));
    },
    onError: (error) => {
      onClose();
      showToast(errorToast(failed, error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={question(ownerLabel(target))}
      description={`Visitors see that release again ${seenAgainText(target)}. The release that is live now is kept, and can be brought back the same way.`}
      confirmLabel={label}
      busyLabel={busy}
      isDestructive={false}
      isBusy={rollBack.isPending}
      onConfirm={() => rollBack.mutate({ deploymentId: target.deploymentId, releaseId: target.id })}
    />
  );
}

/** The button that asks whether to roll back. */
export function RollBackButton({
  target,
  ...look
}: { target: RollBackTarget } & Pick<ButtonProps, 'size' | 'variant'>) {
  const [isAsking, setAsking] = useState(false);
  const { label } = wayTexts(target);
  return (
    <>
      <Button {...look} onClick={() => setAsking(true)}>
        <Undo2 /> {label}
      </Button>
      <RollBackDialog target={isAsking ? target : null} onClose={() => setAsking(false)} />
    </>
  );
}

type RollBackToEarlierProps = {
  deploymentId: string;
  /** The number of the live release. */
  serving: number;
};

/** Goes back to the release that was live before; its place is reserved until it is known whether there is one. */
export function RollBackToEarlier({ deploymentId, serving }: RollBackToEarlierProps) {
  const { data: live } = trpc.releases.get.useQuery({ deploymentId, number: serving });
  if (live && (live.replaced === null || goneBackAt(live) !== null)) return null;
  return (
    <div className="flex min-h-control-sm">
      {live && <RollBackButton target={{ ...live, ...live.replaced }} size="sm" />}
    </div>
  );
}
