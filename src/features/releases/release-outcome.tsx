import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { MendConnection } from '../../components/mend-connection.tsx';
import { lostAtPrimary } from '../../lib/lost-at-primary.ts';
import { goneBackAt } from './going-back.ts';
import { CancelledPanel, FailedPanel, LivePanel, SupersededPanel } from './release-panels.tsx';
import { RollBackButton } from './roll-back.tsx';
import type { useReleaseActs } from './use-release-acts.ts';

export type ReleaseOutcomeProps = {
  release: ReleaseDetail;
  retry: ReturnType<typeof useReleaseActs>['retry'];
  /** False while no plan is active. */
  mayChange: boolean;
};

/** What became of a release, said aloud when it changes; nothing while it runs. */
export function ReleaseOutcome({ release, retry, mayChange }: ReleaseOutcomeProps) {
  const { deploymentId, state } = release;
  const deployment = trpc.deployments.get.useQuery({ deploymentId }, { enabled: mayChange && state === 'failed' });
  const lost = deployment.data && lostAtPrimary(deployment.data);
  const tryAgain = mayChange && (
    <Button
      variant={lost === undefined ? 'primary' : 'secondary'}
      isBusy={retry.isPending}
      busyLabel="Starting…"
      onClick={() => retry.mutate({ releaseId: release.id })}
    >
      Try again
    </Button>
  );
  const goesBackHere = mayChange && goneBackAt(release) === null;
  return (
    <div aria-live="polite">
      {release.state === 'live' && <LivePanel release={release} />}
      {release.state === 'failed' && (
        <FailedPanel
          release={release}
          action={
            <>
              {/* It would be refused again before this is done. */}
              {lost !== undefined && <MendConnection lost={lost} />}
              {tryAgain}
            </>
          }
        />
      )}
      {release.state === 'cancelled' && <CancelledPanel release={release} action={tryAgain} />}
      {release.state === 'superseded' && (
        <SupersededPanel release={release} action={goesBackHere && <RollBackButton target={release} />} />
      )}
    </div>
  );
}
