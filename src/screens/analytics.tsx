import { keepPreviousData } from '@tanstack/react-query';
import { ChartNoAxesColumn, SearchX } from 'lucide-react';
import { Link } from 'wouter';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { PLANS } from '../../routers/schemas/plan-table.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { classNames } from '../components/class-names.ts';
import { FilterSelect } from '../components/fields/filter-select.tsx';
import { ListStates } from '../components/lists/list-states.tsx';
import { EmptyState } from '../components/page/empty-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { DeploymentOutcomes } from '../features/analytics/deployment-outcomes.tsx';
import { PlatformOutcomes } from '../features/analytics/platform-outcomes.tsx';
import { ReleaseOutcomes } from '../features/analytics/release-outcomes.tsx';
import { statisticsByDeployment, statisticsOf } from '../features/analytics/release-statistics.ts';
import { rangeOf, rangeOptions } from '../features/analytics/visit-labels.ts';
import { VisitRankings, VisitsSection } from '../features/analytics/visits-section.tsx';
import { DeploymentSelect } from '../features/deployments/manage/deployment-select.tsx';
import { useListFilters } from '../features/deployments/manage/use-list-filters.ts';
import { useOfferedDeployments } from '../features/deployments/manage/use-offered-deployments.ts';
import { ownTimeZone } from '../lib/browser/own-time-zone.ts';
import { paths } from '../lib/paths/paths.ts';

/** The most that the server answers at once, and enough to see how things go. */
const COUNTED = 50;

const timeZone = ownTimeZone();

/** Leaves the previous data on the page until the new choice has its answer. */
const KEEPING = { placeholderData: keepPreviousData };

/** Shows the visits of the sites, and the outcomes of the releases. */
export function AnalyticsScreen() {
  const filters = useListFilters(['deployment', 'range']);
  const deploymentId = filters.get('deployment') ?? undefined;
  const days = rangeOf(filters.get('range'));
  const own = deploymentId === undefined ? {} : { deploymentId };
  const range = { days, timeZone, ...own };
  const visits = trpc.analytics.visits.useQuery(range, KEEPING);
  const statistics = trpc.analytics.releases.useQuery({ days, ...own }, KEEPING);
  const history = trpc.releases.list.useQuery({ limit: COUNTED, ...own }, KEEPING);
  // Nothing is reserved for the tables, which would push down the content below.
  const isAllThere = !visits.isPending && !statistics.isPending && !history.isPending;
  const releases = history.data?.items ?? [];
  if (deploymentId === undefined && history.isSuccess && !history.isPlaceholderData && releases.length === 0) {
    return NOTHING_YET;
  }
  return (
    <>
      {HEADER}
      <Filters deploymentId={deploymentId} days={days} onFilter={filters.set} />
      <div className="flex flex-col gap-6">
        <VisitsSection range={range} />
        <Card className={classNames('overflow-hidden', !isAllThere && 'hidden')} aria-busy={history.isFetching}>
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
            skeleton={null}
            failure={shownFailure('The releases could not be loaded', history.error)}
            empty={nothingThere(filters.clear)}
          >
            <ReleaseOutcomes statistics={statisticsOf(releases)} />
            {rollBackLine(history.data?.rollBacks.length ?? 0)}
          </ListStates>
        </Card>
        {isAllThere && statistics.data && <PlatformOutcomes statistics={statistics.data} />}
        {isAllThere && releases.length > 0 && deploymentId === undefined && (
          <Card className="overflow-hidden">
            <CardHeader title="By deployment" />
            <DeploymentOutcomes deployments={statisticsByDeployment(releases)} />
          </Card>
        )}
        {isAllThere && visits.data && <VisitRankings visits={visits.data} />}
      </div>
    </>
  );
}

type FiltersProps = {
  deploymentId: string | undefined;
  days: number;
  onFilter: (name: 'deployment' | 'range', value: string | null) => void;
};

function Filters({ deploymentId, days, onFilter }: FiltersProps) {
  const allowance = trpc.subscription.allowance.useQuery();
  const { deployments } = useOfferedDeployments();
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      {(deployments.length > 1 || deploymentId !== undefined) && (
        <DeploymentSelect
          deployments={deployments}
          allLabel="All deployments"
          value={deploymentId}
          onChange={(id) => onFilter('deployment', id)}
        />
      )}
      <FilterSelect
        label="Time"
        options={rangeOptions(allowance.data && PLANS[allowance.data.plan].analyticsDays)}
        value={String(days)}
        onChange={(range) => onFilter('range', range)}
      />
    </div>
  );
}

function rollBackLine(count: number) {
  if (count === 0) return null;
  return (
    <p className="border-t border-line px-4 py-3 text-sm text-ink-muted sm:px-5">
      In the same period there {count === 1 ? 'was' : 'were'} {formatCount(count, 'rollback')}.
    </p>
  );
}

function historyPath(deploymentId: string | undefined): string {
  return deploymentId === undefined
    ? paths.deploymentHistory
    : `${paths.deploymentHistory}?${new URLSearchParams({ deployment: deploymentId })}`;
}

const HEADER = <PageHeader title="Analytics" description="Who visits your sites, and how your releases went." />;

const NOTHING_YET = (
  <>
    {HEADER}
    <Card>
      <EmptyState
        icon={ChartNoAxesColumn}
        action={
          <Button variant="primary" asChild>
            <Link to={paths.newDeployment}>Publish a folder</Link>
          </Button>
        }
      >
        No releases yet. Each folder that you publish makes one, and this page says how it went and who visits it.
      </EmptyState>
    </Card>
  </>
);

function nothingThere(onClear: () => void) {
  return {
    icon: SearchX,
    text: 'This deployment has no releases.',
    action: <Button onClick={onClear}>Show all deployments</Button>,
  };
}
