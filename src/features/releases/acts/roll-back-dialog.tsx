import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { ListedRelease, Release } from '../../../../routers/schemas/releases.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { LinkedText } from '../../../components/linked-text.tsx';
import { Notice } from '../../../components/notice.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { MendConnection } from '../../../components/states/mend-connection.tsx';
import { useNavigate } from '../../../lib/browser/location.ts';
import { ownerLabel } from '../../../lib/deployment-label.ts';
import { href } from '../../../lib/paths/paths.ts';
import { lostAtPrimary, othersOf } from '../../../lib/primary-destination.ts';
import { goneBackAt, isKeptThere, seenAgainText, wayTexts } from './going-back.ts';

export type RollBackTarget = Pick<
  ListedRelease,
  'id' | 'number' | 'servingNumber' | 'platform' | 'deploymentId' | 'deploymentName' | 'deploymentSlug' | 'url'
>;

export type OpenRollBackDialogProps = { target: RollBackTarget; onClose: () => void };

/** Asks before a rollback; where the platform would refuse it, the remedy comes first. */
export function OpenRollBackDialog({ target, onClose }: OpenRollBackDialogProps) {
  const { deploymentId, id: releaseId } = target;
  const navigate = useNavigate();
  const { label, question, busy, failed } = wayTexts(target);
  const { data: deployment } = trpc.deployments.get.useQuery({ deploymentId });
  const { data: release } = trpc.releases.get.useQuery({ deploymentId, number: target.number });
  const lost = deployment && lostAtPrimary(deployment);
  const seen = seenAgainText(target, release === undefined || isKeptThere(release));
  const rollBack = trpc.deployments.rollBack.useMutation({
    onSuccess: () => {
      onClose();
      navigate(href.release(deploymentId, target.number));
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
      description={`Visitors see that release again ${seen}.${followText(deployment, release)} The release that is live now is kept, and can be brought back the same way.`}
      confirmLabel={label}
      busyLabel={busy}
      variant={lost === undefined ? 'primary' : 'secondary'}
      isBusy={rollBack.isPending}
      onConfirm={() => rollBack.mutate({ deploymentId, releaseId })}
    >
      {lost !== undefined && (
        <Notice tone="bad" action={<MendConnection lost={lost} />}>
          <LinkedText text={lost.message} />
        </Notice>
      )}
    </ConfirmDialog>
  );
}

/** Names the deployment's other platforms, which follow once the release is live. */
function followText(deployment: Deployment | undefined, release: Release | undefined): string {
  const others = deployment === undefined ? [] : othersOf(deployment);
  return others
    .map(({ id, platform }) => {
      const { title } = PLATFORMS[platform];
      if (goneBackAt({ platform }) !== null) return ` At ${title} you publish it yourself.`;
      const isKept = release?.destinations.some((one) => one.id === id && one.state === 'live') ?? true;
      return ` ${title} follows ${seenAgainText({ platform }, isKept)}.`;
    })
    .join('');
}
