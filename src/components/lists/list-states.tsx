import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../page/empty-state.tsx';
import { FailedState, type ShownFailure } from '../page/failed-state.tsx';

/** The state of a list that the server returns. */
export type AskedList = { isPending: boolean; isFetching: boolean; refetch: () => unknown };

export type ListStatesProps = {
  list: AskedList;
  /** The number of rows; if there are any, they are the children and nothing replaces them. */
  count: number;
  /** Placeholders of the same size as the rows. */
  skeleton: ReactNode;
  /** Null when nothing failed. */
  failure: ShownFailure | null;
  /** One sentence: what goes here, and what to do first. */
  empty: { icon: LucideIcon; text: ReactNode; action?: ReactNode; isRow?: boolean };
  /** Absent when the rows are elsewhere. */
  children?: ReactNode;
};

/** Shows the four states of every list: loading, failed with Retry, empty, and the rows. */
export function ListStates({ list, count, skeleton, failure, empty, children }: ListStatesProps) {
  if (count > 0) return children;
  if (failure !== null) return <FailedState failure={failure} question={list} />;
  if (list.isPending) return skeleton;
  return (
    <EmptyState icon={empty.icon} action={empty.action} isRow={empty.isRow}>
      {empty.text}
    </EmptyState>
  );
}
