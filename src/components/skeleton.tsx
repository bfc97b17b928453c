import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

/** A bar in the place of a line of text or of a control. It does not move: only what runs does. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return <span aria-hidden className={classNames('block rounded-tight bg-line/70', className ?? 'h-4 w-full')} />;
}

/** Around the bars: says once that it loads, and shows nothing for the first 150 ms. */
export function SkeletonGroup({
  label = 'Loading',
  children,
  className,
}: {
  label?: string;
  children: ReactNode;
  className?: string | undefined;
}) {
  return (
    <div role="status" className={classNames('animate-after-wait', className)}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}

/** Rows with the geometry of a card's rows: a name over an address, a word at the end. */
export function SkeletonRows({ rows = 3 }: { rows?: number }) {
  return (
    <SkeletonGroup className="divide-y divide-line">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move
        <div key={index} className="flex items-center justify-between gap-4 px-4 py-4 sm:px-5">
          <div className="flex flex-col gap-2">
            <Skeleton className="h-4 w-36" />
            <Skeleton className="h-3.5 w-52" />
          </div>
          <Skeleton className="h-4 w-20 max-sm:hidden" />
        </div>
      ))}
    </SkeletonGroup>
  );
}
