import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Card } from '../components/card.tsx';
import { ListStates } from '../components/list-states.tsx';
import { LoadMore } from '../components/load-more.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { deploymentDisplayState } from '../features/deployments/display-state.ts';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { AddressTable, AddressTableSkeleton } from '../features/domains/address-table.tsx';
import { NO_ADDRESSES } from '../features/domains/no-addresses.tsx';

/** Where each deployment answers; own domains are later work, and the page says so. */
export function DomainsScreen() {
  const allowance = trpc.subscription.allowance.useQuery();
  const list = trpc.deployments.list.useInfiniteQuery({}, { getNextPageParam: (page) => page.nextCursor });
  const deployments = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const readOnly = isReadOnly(allowance.data);
  return (
    <>
      <PageHeader title="Domains" description="Where each of your deployments answers." />
      <Notice tone="quiet" title="Domains of your own are not available in this version" className="mb-6">
        Every deployment has an address on the built-in host from the start. It is made from its name, and can be
        changed.
      </Notice>
      <Card className="overflow-hidden" aria-busy={list.isFetching}>
        <ListStates
          list={list}
          count={deployments.length}
          skeleton={<AddressTableSkeleton />}
          failure={shownFailure('The addresses could not be fetched', list.error)}
          empty={NO_ADDRESSES}
        >
          <AddressTable
            deployments={deployments}
            stateOf={(deployment) => deploymentDisplayState(deployment, readOnly)}
          />
        </ListStates>
      </Card>
      <LoadMore list={list} />
    </>
  );
}
