import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { ReleaseDetail } from '../../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../../routers/schemas/state-names.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { MendConnection } from '../../../components/states/mend-connection.tsx';
import { focusWhereNone } from '../../../lib/browser/focus-where-none.ts';
import { href } from '../../../lib/paths/paths.ts';
import { lostAtPrimary } from '../../../lib/primary-destination.ts';
import { isRollBackStep, isRollingBack } from '../../../lib/roll-back.ts';
import { shownState } from '../../../lib/waiting.ts';
import { goneBackAt } from '../acts/going-back.ts';
import { RollBackButton } from '../acts/roll-back.tsx';
import type { useReleaseActs } from '../acts/use-release-acts.ts';
import { isRetryable } from '../release-labels.ts';
import { AddressPanel, CancelledPanel, FailedPanel, SupersededPanel } from './release-panels.tsx';

export type ReleaseOutcomeProps = {
  release: ReleaseDetail;
  /** The address that visitors use, if that is another than the release's. */
  visitUrl?: string | undefined;
  retry: ReturnType<typeof useReleaseActs>['retry'];
  /** False while no plan is active. */
  mayChange: boolean;
};

/** Shows the address of a release and its result, announced when it changes. */
export function ReleaseOutcome({ release, visitUrl, retry, mayChange }: ReleaseOutcomeProps) {
  const { deploymentId, state } = release;
  const isRunning = isOnItsWay(release);
  const deployment = trpc.deployments.get.useQuery({ deploymentId }, { enabled: mayChange && isRetryable(release) });
  const lost = deployment.data && lostAtPrimary(deployment.data);
  const tryAgain = mayChange && (
    <>
      {/* It would be refused before this is done. */}
      {lost !== undefined && <MendConnection lost={lost} />}
      <Button
        variant={lost === undefined ? 'primary' : 'secondary'}
        isBusy={retry.isPending}
        busyLabel="Starting…"
        onClick={() => retry.mutate({ releaseId: release.id })}
      >
        Try again
      </Button>
    </>
  );
  const goesBackHere = mayChange && goneBackAt(release) === null;
  const outcome = useRef<HTMLDivElement>(null);
  // Once it runs again, the button that was pressed is gone with the panel around it.
  useEffect(
    () => (isRunning ? undefined : () => focusWhereNone(outcome.current?.querySelector('h2') ?? null)),
    [isRunning],
  );
  return (
    <div ref={outcome} aria-live="polite">
      {(isRunning || state === 'live') && (
        <AddressPanel
          {...release}
          visitUrl={visitUrl}
          running={isRunning ? runningText(release) : null}
          isOnline={release.servingNumber !== null}
          title={isBack(release) ? `${release.deploymentName} is live with release ${release.number} again` : undefined}
          action={mayChange && release.isCurrent && <AddDomain deploymentId={deploymentId} />}
        />
      )}
      {release.state === 'failed' && <FailedPanel release={release} action={tryAgain} />}
      {release.state === 'cancelled' && <CancelledPanel release={release} action={tryAgain} />}
      {release.state === 'superseded' && (
        <SupersededPanel release={release} action={goesBackHere && <RollBackButton target={release} />} />
      )}
    </div>
  );
}

/** Returns whether it runs here: when a person has to finish it, the steps for that are there instead. */
export function isOnItsWay(release: ReleaseDetail): boolean {
  return isRunningReleaseState(release.state) && shownState(release) !== 'waiting';
}

/** Offers the next thing, as long as the site has no domain. */
function AddDomain({ deploymentId }: Pick<ReleaseDetail, 'deploymentId'>) {
  const domains = trpc.domains.list.useQuery({ deploymentId, limit: 1 });
  if (domains.data?.items.length !== 0) return null;
  return (
    <Button asChild>
      <Link to={`${href.deployment(deploymentId)}?tab=domains`}>Add your domain</Link>
    </Button>
  );
}

/** Returns whether a rollback made it live. */
function isBack(release: ReleaseDetail): boolean {
  return release.steps.some((step) => step.state === 'done' && isRollBackStep(step, release));
}

function runningText(release: ReleaseDetail): string {
  const { deploymentName, number } = release;
  return isRollingBack(release) ? `Switching ${deploymentName} to release ${number}` : `Publishing ${deploymentName}`;
}
