import { Card } from '../../components/card.tsx';
import { Skeleton, SkeletonGroup, SkeletonRows } from '../../components/skeleton.tsx';

/** Stands for a release on its way: its head, its address with the page beside it, and its three steps. */
export function ProgressSkeleton() {
  return (
    <SkeletonGroup label="Loading the release">
      <div className="mb-3 flex h-control items-center">
        <Skeleton className="h-6 w-44" />
      </div>
      <Card className="mb-4 grid gap-5 p-4 max-sm:min-h-60 sm:mb-6 sm:grid-cols-[minmax(0,1fr)_260px] sm:p-5">
        <div className="flex flex-col gap-2 sm:gap-4">
          <Skeleton className="h-7 w-52" />
          <Skeleton className="h-9 w-64 max-w-full" />
          <Skeleton className="h-control w-20" />
        </div>
        <Skeleton className="aspect-16/10 max-sm:hidden" />
      </Card>
      <Card>
        <SkeletonRows rows={3} />
      </Card>
    </SkeletonGroup>
  );
}
