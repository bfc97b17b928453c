import { Globe, Plus, SearchX } from 'lucide-react';
import { Suspense } from 'react';
import { Link } from 'wouter';
import { HOSTING_PLATFORMS, type PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { LISTED_DEPLOYMENT_STATES } from '../../routers/schemas/state-names.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { FilterSelect } from '../components/fields/filter-select.tsx';
import { SearchField } from '../components/fields/search-field.tsx';
import { ListStates } from '../components/lists/list-states.tsx';
import { LoadMore } from '../components/lists/load-more.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { StateFilter } from '../components/states/state-filter.tsx';
import { DeploymentTable, DeploymentTableSkeleton } from '../features/deployments/manage/deployment-table.tsx';
import type { LeftSitesProps } from '../features/deployments/manage/left-sites.tsx';
import { oneOf, useListFilters, useTyped } from '../features/deployments/manage/use-list-filters.ts';
import { WritableNotice } from '../features/deployments/manage/writable-notice.tsx';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { BetaBadge } from '../features/user/beta-badge.tsx';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { paths } from '../lib/paths/paths.ts';

/** Most accounts have no left sites. */
const leftSites = lazyComponent<LeftSitesProps>(
  async () => (await import('../features/deployments/manage/left-sites.tsx')).LeftSites,
);

const SHOWN_PLATFORMS: readonly PlatformId[] = ['built-in', ...HOSTING_PLATFORMS];

export function DeploymentsScreen() {
  const wanted = useWanted();
  const { filters, search, platform, state } = wanted;
  const { user } = useUser();
  const allowance = trpc.subscription.allowance.useQuery();
  const list = trpc.deployments.list.useInfiniteQuery(
    { ...(search !== '' && { search }), ...(platform && { platform }), ...(state && { state }) },
    { getNextPageParam: (page) => page.nextCursor, placeholderData: (before) => before },
  );
  const left = trpc.deployments.leftSites.useQuery();
  const deployments = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const offered = useOfferedPlatforms(platform);
  const isListed = !list.isSuccess || deployments.length > 0 || filters.isFiltered;
  return (
    <>
      <PageHeader
        title="Active Deployments"
        actions={
          isListed ? (
            <Button variant="primary" asChild>
              <Link to={paths.newDeployment}>
                <Plus /> New deployment
              </Link>
            </Button>
          ) : undefined
        }
      />
      <WritableNotice allowance={allowance.data} />
      {left.data !== undefined && left.data.items.length > 0 && (
        <Suspense fallback={<SkeletonRows rows={left.data.items.length} />}>
          <leftSites.Component sites={left.data.items} />
        </Suspense>
      )}
      {isListed && <Filters wanted={wanted} offered={offered} />}
      <Card className="overflow-hidden" aria-busy={list.isFetching}>
        <ListStates
          list={list}
          count={deployments.length}
          skeleton={<DeploymentTableSkeleton />}
          failure={shownFailure('The deployments could not be loaded', list.error)}
          empty={filters.isFiltered ? nothingFound(filters.clear) : NOTHING_YET}
        >
          <DeploymentTable
            deployments={deployments}
            isReadOnly={(id) => isReadOnly(allowance.data, id)}
            badge={user?.isBetaTester && <BetaBadge />}
          />
        </ListStates>
      </Card>
      <LoadMore list={list} />
    </>
  );
}

/** Holds the filters in the address, and the text of the search while it is typed. */
function useWanted() {
  const filters = useListFilters(['search', 'platform', 'state']);
  const search = filters.get('search') ?? '';
  const platform = oneOf(SHOWN_PLATFORMS, filters.get('platform'));
  const state = oneOf(LISTED_DEPLOYMENT_STATES, filters.get('state'));
  const [typed, setTyped] = useTyped(search, (text) => filters.set('search', text.trim()));
  return { filters, search, platform, state, typed, setTyped };
}

type FiltersProps = { wanted: ReturnType<typeof useWanted>; offered: readonly PlatformId[] };

function Filters({ wanted: { filters, platform, state, typed, setTyped }, offered }: FiltersProps) {
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchField label="Search deployments" value={typed} onValueChange={setTyped} className="w-full sm:w-70" />
      {offered.length > 1 && (
        <FilterSelect
          label="Platform"
          allLabel="All platforms"
          options={offered.map((value) => ({ value, label: PLATFORMS[value].title }))}
          value={platform}
          onChange={(next) => filters.set('platform', next)}
        />
      )}
      <StateFilter states={LISTED_DEPLOYMENT_STATES} value={state} onChange={(next) => filters.set('state', next)} />
    </div>
  );
}

/** Returns the platforms of the deployments, and one that is requested already; any other would find nothing. */
function useOfferedPlatforms(wanted: PlatformId | undefined): PlatformId[] {
  const there = trpc.deployments.platforms.useQuery().data?.items ?? [];
  return SHOWN_PLATFORMS.filter((platform) => there.includes(platform) || platform === wanted);
}

const NOTHING_YET = {
  icon: Globe,
  text: 'No deployments yet. Publish a folder to see it here.',
  action: (
    <Button variant="primary" asChild>
      <Link to={paths.newDeployment}>Publish a folder</Link>
    </Button>
  ),
};

function nothingFound(onClear: () => void) {
  return {
    icon: SearchX,
    text: 'No deployments match these filters.',
    action: <Button onClick={onClear}>Clear filters</Button>,
  };
}
