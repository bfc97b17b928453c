import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Card, CardHeader } from '../components/card.tsx';
import { LoadMore } from '../components/lists/load-more.tsx';
import { FailedState } from '../components/page/failed-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { deploymentDisplayState } from '../features/deployments/display-state.ts';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { AddressTable } from '../features/domains/address-table.tsx';
import { DomainList } from '../features/domains/domain-list.tsx';

/** Shows the account's own domains, and the address that each deployment has from the start. */
export function DomainsScreen() {
  const allowance = trpc.subscription.allowance.useQuery();
  const list = trpc.deployments.list.useInfiniteQuery({}, { getNextPageParam: (page) => page.nextCursor });
  const deployments = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const failure = shownFailure('The addresses could not be loaded', list.error);
  const readOnly = (id: string) => isReadOnly(allowance.data, id);
  return (
    <>
      <PageHeader title="Domains" description="Your own domains, and the address of each deployment." />
      <DomainList
        deployments={deployments.filter(({ state }) => state !== 'deleting')}
        isReadOnly={readOnly}
        isWaiting={list.isPending}
      >
        {(deployments.length > 0 || failure !== null) && (
          <Card className="mt-6 overflow-hidden" aria-busy={list.isFetching}>
            <CardHeader title="Addresses of your deployments" />
            {deployments.length === 0 ? (
              <FailedState failure={failure} question={list} />
            ) : (
              <AddressTable
                deployments={deployments}
                stateOf={(deployment) => deploymentDisplayState(deployment, readOnly(deployment.id))}
              />
            )}
          </Card>
        )}
        <LoadMore list={list} />
      </DomainList>
    </>
  );
}
