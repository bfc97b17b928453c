import { Link } from 'wouter';
import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { useBrokenConnection } from '../../api/use-broken-connection.ts';
import { Button } from '../../components/button.tsx';
import { href } from '../../lib/paths.ts';
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
  const { deploymentId, platform, state } = release;
  const broken = useBrokenConnection(deploymentId, { platform, enabled: mayChange && state === 'failed' });
  const tryAgain = mayChange && (
    <Button
      variant={broken === null ? 'primary' : 'secondary'}
      isBusy={retry.isPending}
      busyLabel="Starting…"
      onClick={() => retry.mutate({ releaseId: release.id })}
    >
      Try again
    </Button>
  );
  // It would be refused again until the platform accepts the token.
  const replaceToken = broken !== null && (
    <Button variant="primary" asChild>
      <Link to={href.replaceToken(broken.id)}>Replace token</Link>
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
              {replaceToken}
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
