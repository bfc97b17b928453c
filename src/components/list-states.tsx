import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { FailedState, type ShownFailure } from './failed-state.tsx';

/** A list that is asked of the server, as far as its states go. */
export type AskedList = { isPending: boolean; isFetching: boolean; refetch: () => unknown };

export type ListStatesProps = {
  list: AskedList;
  /** How many rows there are to show; with some, they are the caller's children and nothing stands in their place. */
  count: number;
  /** Placeholders of the same size as the rows. */
  skeleton: ReactNode;
  /** Null while none failed. */
  failure: ShownFailure | null;
  /** One sentence: what goes here, and what to do first. */
  empty: { icon: LucideIcon; text: ReactNode; action?: ReactNode; isRow?: boolean };
  /** Left out where the rows stand elsewhere. */
  children?: ReactNode;
};

/** The four states of every list: on its way, failed with Retry, empty, and the rows. */
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
