import { ScrollText, Stethoscope } from 'lucide-react';
import { Link } from 'wouter';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { formatCount } from '../../routers/schemas/format-count.ts';
import type { ReleaseDetail, ReleaseStep } from '../../routers/schemas/releases.ts';
import { errorDetails, errorMessage } from '../api/errors.ts';
import { isNothing, shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { ListStates } from '../components/list-states.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { type Step, Stepper } from '../components/stepper.tsx';
import { Time } from '../components/time.tsx';
import { DeploymentSelect, useOfferedDeployments } from '../features/deployments/manage/deployment-select.tsx';
import { useListFilters } from '../features/deployments/manage/use-list-filters.ts';
import { CheckList, CheckListSkeleton } from '../features/diagnostics/check-list.tsx';
import { checksOf, troubleCount } from '../features/diagnostics/checks.ts';
import { stepTitle, tookText } from '../features/releases/release-labels.ts';
import { href, paths } from '../lib/paths.ts';
import { isRollBackStep } from '../lib/roll-back.ts';

/** What is known of a deployment, read from what verification proved and when. */
export function DiagnosticsScreen() {
  const filters = useListFilters(['deployment']);
  const { list, deployments } = useOfferedDeployments();
  const deploymentId = filters.get('deployment') ?? deployments[0]?.id;
  return (
    <>
      <PageHeader
        title="System Diagnostics"
        description="What was seen of a deployment, and when. Opening this page asks nothing anew."
      />
      {deployments.length > 0 && (
        <div className="mb-4">
          <DeploymentSelect
            deployments={deployments}
            value={deploymentId}
            onChange={(id) => filters.set('deployment', id)}
          />
        </div>
      )}
      {deploymentId !== undefined ? (
        <Report key={deploymentId} deploymentId={deploymentId} />
      ) : (
        <Card>
          <ListStates
            list={list}
            count={deployments.length}
            skeleton={<CheckListSkeleton />}
            failure={shownFailure('Your deployments could not be fetched', list.error)}
            empty={NOTHING_YET}
          />
        </Card>
      )}
    </>
  );
}

function Report({ deploymentId }: { deploymentId: string }) {
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  const number = deployment.data?.currentRelease?.number;
  const current = trpc.releases.get.useQuery({ deploymentId, number: number ?? 1 }, { enabled: number !== undefined });
  const error = deployment.error ?? current.error;
  if (error !== null) {
    const isMissing = isNothing(error);
    return (
      <Card>
        <ErrorState
          title={isMissing ? 'This deployment does not exist' : 'The report could not be fetched'}
          onRetry={isMissing ? undefined : () => void (deployment.error ? deployment : current).refetch()}
          isRetrying={deployment.isFetching || current.isFetching}
          requestId={errorDetails(error).requestId}
        >
          {isMissing ? 'It may have been deleted. Choose another.' : errorMessage(error)}
        </ErrorState>
      </Card>
    );
  }
  const release = number === undefined ? null : current.data;
  if (deployment.data === undefined || release === undefined) {
    return (
      <Card>
        <CheckListSkeleton />
      </Card>
    );
  }
  return <FullReport deployment={deployment.data} current={release} />;
}

function FullReport({ deployment, current }: { deployment: Deployment; current: ReleaseDetail | null }) {
  const checks = checksOf(deployment, current);
  return (
    <div className="flex flex-col gap-6">
      <Card className="overflow-hidden">
        <CardHeader
          title={
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
              {verdictText(deployment, troubleCount(checks))}
              <StateBadge state={deployment.state} />
            </span>
          }
        />
        <CheckList checks={checks} />
      </Card>
      {current !== null && (
        <Card className="overflow-hidden">
          <CardHeader
            title={`How release ${current.number} went live`}
            action={
              <Button size="sm" asChild>
                <Link to={href.release(deployment.id, current.number)}>
                  <ScrollText /> Read the log
                </Link>
              </Button>
            }
          />
          <Stepper
            label={`Steps of release ${current.number}`}
            steps={current.steps.map((step) => stepRow(step, current))}
          />
        </Card>
      )}
    </div>
  );
}

function verdictText({ name, currentRelease }: Deployment, troubles: number): string {
  if (troubles > 0) return `${formatCount(troubles, 'thing')} to look at in ${name}`;
  return currentRelease === null ? `Nothing is known of ${name} yet` : `No trouble is known with ${name}`;
}

function stepRow(step: ReleaseStep, release: ReleaseDetail): Step {
  const took = tookText(step.startedAt, step.endedAt, step.endedAt ?? new Date());
  return {
    key: step.name,
    state: step.state,
    title: stepTitle(step, isRollBackStep(step, release)),
    ...(step.endedAt !== null && { detail: <Time at={step.endedAt} /> }),
    ...(took !== null && { aside: took }),
  };
}

const NOTHING_YET = {
  icon: Stethoscope,
  text: 'No deployments yet. Once one is live, its report stands here.',
  action: (
    <Button variant="primary" asChild>
      <Link to={paths.newDeployment}>Drop your first folder</Link>
    </Button>
  ),
};
