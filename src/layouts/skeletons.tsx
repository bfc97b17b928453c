import { Card } from '../components/card.tsx';
import { Skeleton, SkeletonForm, SkeletonGroup, SkeletonRows } from '../components/skeleton.tsx';
import { Spinner } from '../components/spinner.tsx';
import type { SkeletonKind } from '../routes.tsx';

/** The placeholder of a loading screen, by path, in the geometry of the screen. */
export function ScreenSkeleton({ kind }: { kind: SkeletonKind }) {
  return (
    <div data-loading className="contents">
      {skeletonOf(kind)}
    </div>
  );
}

function skeletonOf(kind: SkeletonKind) {
  if (kind === 'dashboard') return <DashboardSkeleton />;
  if (kind === 'table') return <TableSkeleton />;
  if (kind === 'form') return <FormSkeleton />;
  return <Spinner label="Loading application..." />;
}

function HeaderSkeleton() {
  return (
    <div className="mb-6 flex flex-col gap-2">
      <Skeleton className="h-7 w-44" />
      <Skeleton className="h-4 w-64" />
    </div>
  );
}

function DashboardSkeleton() {
  return (
    <SkeletonGroup>
      <HeaderSkeleton />
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_340px]">
        <CardSkeleton rows={3} />
        <div className="flex flex-col gap-4">
          <CardSkeleton rows={1} />
          <CardSkeleton rows={1} />
        </div>
      </div>
    </SkeletonGroup>
  );
}

function CardSkeleton({ rows }: { rows: number }) {
  return (
    <Card>
      <div className="flex min-h-12 items-center border-b border-line px-4 sm:px-5">
        <Skeleton className="h-4 w-28" />
      </div>
      <SkeletonRows rows={rows} />
    </Card>
  );
}

function TableSkeleton() {
  return (
    <SkeletonGroup>
      <HeaderSkeleton />
      <div className="mb-4 flex gap-2">
        <Skeleton className="h-control w-70" />
        <Skeleton className="h-control w-27 max-sm:hidden" />
        <Skeleton className="h-control w-27 max-sm:hidden" />
      </div>
      <Card>
        <SkeletonRows rows={5} />
      </Card>
    </SkeletonGroup>
  );
}

function FormSkeleton() {
  return (
    <SkeletonGroup>
      <HeaderSkeleton />
      <div className="grid gap-x-10 gap-y-3 xl:grid-cols-[15rem_minmax(0,1fr)]">
        <div className="flex flex-col gap-2">
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-3.5 w-44" />
        </div>
        <Card className="p-5">
          <SkeletonForm fields={3} />
        </Card>
      </div>
    </SkeletonGroup>
  );
}
