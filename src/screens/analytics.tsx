import { ChartNoAxesColumn, SearchX } from 'lucide-react';
import { Link } from 'wouter';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { ListStates } from '../components/list-states.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { DeploymentOutcomes } from '../features/analytics/deployment-outcomes.tsx';
import { ReleaseOutcomes, ReleaseOutcomesSkeleton } from '../features/analytics/release-outcomes.tsx';
import { statisticsByDeployment, statisticsOf } from '../features/analytics/release-statistics.ts';
import { DeploymentSelect, useOfferedDeployments } from '../features/deployments/manage/deployment-select.tsx';
import { useListFilters } from '../features/deployments/manage/use-list-filters.ts';
import { paths } from '../lib/paths.ts';

/** The most that the server answers at once: enough to see how things go. */
const COUNTED = 50;

/** How the releases went, from the history that there is; visits are later work, and the page says so. */
export function AnalyticsScreen() {
  const filters = useListFilters(['deployment']);
  const deploymentId = filters.get('deployment') ?? undefined;
  const { deployments } = useOfferedDeployments();
  const history = trpc.releases.list.useQuery(
    { limit: COUNTED, ...(deploymentId !== undefined && { deploymentId }) },
    { placeholderData: (before) => before },
  );
  const releases = history.data?.items ?? [];
  return (
    <>
      <PageHeader title="Analytics" description="How your releases went, and how long they took." />
      <Notice tone="quiet" title="Visits are not shown in this version" className="mb-6">
        The built-in host counts them without cookies. There is no page for the counts yet.
      </Notice>
      {(deployments.length > 1 || filters.isFiltered) && (
        <div className="mb-4">
          <DeploymentSelect
            deployments={deployments}
            allLabel="All deployments"
            value={deploymentId}
            onChange={(id) => filters.set('deployment', id)}
          />
        </div>
      )}
      <div className="flex flex-col gap-6">
        <Card className="overflow-hidden" aria-busy={history.isFetching}>
          <CardHeader
            title={history.data?.nextCursor ? `The last ${COUNTED} releases` : 'Releases'}
            {...(history.data && !history.data.nextCursor && { count: releases.length })}
            action={
              <Link
                to={historyPath(deploymentId)}
                className="-my-1 rounded-tight py-1 text-sm text-ink-muted hover:text-ink touch:-my-3 touch:py-3"
              >
                See all<span className="sr-only"> releases</span>
              </Link>
            }
          />
          <ListStates
            list={history}
            count={releases.length}
            skeleton={<ReleaseOutcomesSkeleton />}
            failure={shownFailure('The releases could not be fetched', history.error)}
            empty={filters.isFiltered ? nothingThere(filters.clear) : NOTHING_YET}
          >
            <ReleaseOutcomes statistics={statisticsOf(releases)} />
            {rollBackLine(history.data?.rollBacks.length ?? 0)}
          </ListStates>
        </Card>
        {releases.length > 0 && deploymentId === undefined && (
          <Card className="overflow-hidden">
            <CardHeader title="By deployment" />
            <DeploymentOutcomes deployments={statisticsByDeployment(releases)} />
          </Card>
        )}
      </div>
    </>
  );
}

function rollBackLine(count: number) {
  if (count === 0) return null;
  return (
    <p className="border-t border-line px-4 py-3 text-sm text-ink-muted sm:px-5">
      In the same time there {count === 1 ? 'was' : 'were'} {formatCount(count, 'roll back')}.
    </p>
  );
}

function historyPath(deploymentId: string | undefined): string {
  return deploymentId === undefined
    ? paths.deploymentHistory
    : `${paths.deploymentHistory}?${new URLSearchParams({ deployment: deploymentId })}`;
}

const NOTHING_YET = {
  icon: ChartNoAxesColumn,
  text: 'No releases yet. Each folder that you publish makes one, and this page says how they went.',
  action: (
    <Button variant="primary" asChild>
      <Link to={paths.newDeployment}>Drop your first folder</Link>
    </Button>
  ),
};

function nothingThere(onClear: () => void) {
  return {
    icon: SearchX,
    text: 'This deployment has no releases.',
    action: <Button onClick={onClear}>Show all deployments</Button>,
  };
}
