import { Link } from 'wouter';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { FilterSelect } from '../components/fields/filter-select.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { stateLabel } from '../components/states/state-badge.tsx';
import { DeploymentSelect } from '../features/deployments/manage/deployment-select.tsx';
import { oneOf, useListFilters } from '../features/deployments/manage/use-list-filters.ts';
import { useOfferedDeployments } from '../features/deployments/manage/use-offered-deployments.ts';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { ReleaseList } from '../features/releases/history/release-list.tsx';
import { paths } from '../lib/paths/paths.ts';
import type { ShownHistoryState, ShownReleaseState } from '../lib/waiting.ts';

const SHOWN_STATES = [
  'publishing',
  'waiting',
  'live',
  'superseded',
  'failed',
  'cancelled',
] as const satisfies readonly ShownReleaseState[];
const STATE_OPTIONS: readonly { value: ShownHistoryState; label: string }[] = [
  ...SHOWN_STATES.map((value) => ({ value, label: stateLabel(value) })),
  { value: 'rolled_back', label: 'Rolled back' },
];

/** Lists all releases of all deployments, newest first. */
export function DeploymentHistoryScreen() {
  const filters = useListFilters(['state', 'deployment']);
  const state = oneOf(
    STATE_OPTIONS.map(({ value }) => value),
    filters.get('state'),
  );
  const deploymentId = filters.get('deployment') ?? undefined;
  const allowance = trpc.subscription.allowance.useQuery();
  const { deployments, hasNone } = useOfferedDeployments();
  return (
    <>
      <PageHeader
        title="Deployment History"
        description="Every release and rollback of all your deployments, newest first."
      />
      {(!hasNone || filters.isFiltered) && (
        <div className="mb-4 flex flex-wrap gap-2">
          <DeploymentSelect
            deployments={deployments}
            allLabel="All deployments"
            value={deploymentId}
            onChange={(id) => filters.set('deployment', id)}
          />
          <FilterSelect
            label="State"
            allLabel="All states"
            options={STATE_OPTIONS}
            value={state}
            onChange={(next) => filters.set('state', next)}
          />
        </div>
      )}
      <ReleaseList
        label="Releases"
        showsDeployment
        deploymentId={deploymentId}
        state={state}
        isReadOnly={(id) => isReadOnly(allowance.data, id)}
        empty={
          filters.isFiltered
            ? 'No releases match these filters.'
            : 'No releases yet. Each folder that you publish makes one.'
        }
        action={
          filters.isFiltered ? (
            <Button onClick={filters.clear}>Clear filters</Button>
          ) : (
            <Button variant="primary" asChild>
              <Link to={paths.newDeployment}>Publish a folder</Link>
            </Button>
          )
        }
      />
    </>
  );
}
