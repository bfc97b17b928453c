import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { Notice } from '../../../components/notice.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { siteText } from '../../../lib/site-ending.ts';
import { useIsReached } from './site-loss.ts';

/** Shows how a deletion proceeds, and what its owner can do when a platform refuses. */
export function DeletingNotice({ deployment }: { deployment: Deployment }) {
  const refused = deployment.destinations.filter(({ error }) => error !== null);
  if (refused.length > 0) return <RefusedNotice deployment={deployment} refused={refused} />;
  return <GoingNotice deployment={deployment} />;
}

function GoingNotice({ deployment: { id, name, destinations, leavesSites } }: { deployment: Deployment }) {
  const isReached = useIsReached(id);
  const left = destinations.filter(({ state }) => state !== 'removed');
  const sites = left.flatMap((one) => siteText(one, isReached, leavesSites) ?? []);
  return (
    <Notice tone="accent" className="mb-6" title={`${name} is being deleted`}>
      <span className="wrap-anywhere">{[...sites, 'It disappears from your lists once it is deleted.'].join(' ')}</span>
    </Notice>
  );
}

type RefusedNoticeProps = { deployment: Deployment; refused: readonly Destination[] };

function RefusedNotice({ deployment: { id, name }, refused }: RefusedNoticeProps) {
  const onError = (error: Parameters<typeof errorToast>[1]) => showToast(errorToast('Could not delete', error));
  const retry = trpc.deployments.remove.useMutation({
    onSuccess: () =>
      showToast({ title: 'Trying again', description: `${name} disappears from your lists once it is deleted.` }),
    onError,
  });
  const leave = trpc.deployments.remove.useMutation({ onError });
  const titles = refused.map(({ platform }) => PLATFORMS[platform].title).join(' and ');
  return (
    <Notice
      tone="warn"
      className="mb-6"
      title={`Not deleted yet: still at ${titles}`}
      action={
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:flex-col">
          <Button
            size="sm"
            isBusy={retry.isPending}
            busyLabel="Trying…"
            onClick={() => retry.mutate({ deploymentId: id })}
          >
            Try again now
          </Button>
          <Button
            size="sm"
            variant="danger"
            isBusy={leave.isPending}
            busyLabel="Deleting…"
            onClick={() => leave.mutate({ deploymentId: id, leaveSite: true })}
          >
            Delete here, leave {refused.length === 1 ? `the site at ${titles}` : 'the sites'}
          </Button>
        </div>
      }
    >
      <div className="mt-1 flex flex-col gap-2">
        {refused.map(({ id: destinationId, error }) => (
          <p key={destinationId} className="wrap-anywhere">
            <LinkedText text={`${error?.message} ${error?.hint ?? ''}`} />
          </p>
        ))}
        <p>Fairlead keeps trying. If you delete it here only, take it down at {titles} yourself.</p>
      </div>
    </Notice>
  );
}
