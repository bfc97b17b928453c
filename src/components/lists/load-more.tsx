import { Button } from '../button.tsx';

export type LoadMoreProps = {
  /** A list that is loaded page by page. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
};

/** Loads the next page of a list, and shows nothing when there is none. */
export function LoadMore({ list }: LoadMoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className="mt-4 flex justify-center">
      <Button isBusy={list.isFetchingNextPage} busyLabel="Loading…" onClick={() => void list.fetchNextPage()}>
        Load more
      </Button>
    </div>
  );
}
