import { classNames } from '../../components/class-names.ts';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { formatSize } from '../../lib/format.ts';

export type VisitTotals = { views: number; visitors: number; requests: number; bots: number; bytes: number };

/** The sums of a range. */
export function VisitFigures({ totals }: { totals: VisitTotals }) {
  const figures = [
    { name: 'Page views', count: totals.views },
    { name: 'Visitors', count: totals.visitors },
    { name: 'Requests', count: totals.requests },
    { name: 'Bot requests', count: totals.bots },
    { name: 'Bandwidth', count: totals.bytes, text: formatSize(totals.bytes) },
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-3 lg:grid-cols-5">
      {figures.map(({ name, count, text }, index) => (
        // A small screen does without zeros, beside the two that the legend of the chart names.
        <div
          key={name}
          className={classNames('flex min-w-0 flex-col gap-0.5', count === 0 && index > 1 && 'max-sm:hidden')}
        >
          <dt className="text-sm text-ink-muted">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{text ?? count.toLocaleString('en')}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The placeholder of the figures and the chart below them. */
export function VisitsSkeleton() {
  return (
    <SkeletonGroup label="Loading the visits" className="flex flex-col gap-6 p-4 sm:p-5">
      <div className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-3 lg:grid-cols-5">
        {['w-20', 'w-16', 'w-16', 'w-28', 'w-20'].map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the figures never move
          <div key={index} className="flex flex-col gap-1.5">
            <Skeleton className={`h-4 ${width}`} />
            <Skeleton className="h-7 w-14" />
          </div>
        ))}
      </div>
      <Skeleton className="h-48 w-full" />
    </SkeletonGroup>
  );
}
