import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { shownFailure } from '../../../api/shown-failure.ts';
import { trpc } from '../../../api/trpc.ts';
import { Card } from '../../../components/card.tsx';
import { ListStates } from '../../../components/lists/list-states.tsx';
import { LoadMore } from '../../../components/lists/load-more.tsx';
import type { ShownHistoryState } from '../../../lib/waiting.ts';
import { ReleaseTable, ReleaseTableSkeleton } from './release-table.tsx';

export type ReleaseListProps = {
  label: string;
  /** Absent for all releases of the account. */
  deploymentId?: string | undefined;
  state?: ShownHistoryState | undefined;
  isReadOnly: (deploymentId: string) => boolean;
  /** The first act, when there is none. */
  empty: ReactNode;
  action?: ReactNode;
  /** True when the list has releases of several deployments. */
  showsDeployment?: boolean;
};

/** Lists releases, newest first, page by page: of one deployment or of all. */
export function ReleaseList({
  label,
  deploymentId,
  state,
  isReadOnly,
  empty,
  action,
  showsDeployment = false,
}: ReleaseListProps) {
  const list = trpc.releases.list.useInfiniteQuery(
    { ...(deploymentId !== undefined && { deploymentId }), ...(state !== undefined && { state }) },
    { getNextPageParam: (page) => page.nextCursor, placeholderData: (before) => before },
  );
  const releases = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const rollBacks = list.data?.pages.flatMap((page) => page.rollBacks) ?? [];
  return (
    <>
      <Card className="overflow-hidden">
        <ListStates
          list={list}
          count={releases.length + rollBacks.length}
          skeleton={<ReleaseTableSkeleton />}
          failure={shownFailure('The releases could not be loaded', list.error)}
          empty={{ icon: History, text: empty, action }}
        >
          <ReleaseTable
            label={label}
            releases={releases}
            rollBacks={rollBacks}
            showsDeployment={showsDeployment}
            isReadOnly={isReadOnly}
          />
        </ListStates>
      </Card>
      <LoadMore list={list} />
    </>
  );
}
