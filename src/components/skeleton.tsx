import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { useIsSuccessor } from './spinner.tsx';

/** A bar in place of a line of text or of a control. It does not move: only running things do. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return <span aria-hidden className={classNames('block rounded-tight bg-line/70', className ?? 'h-4 w-full')} />;
}

/** Wraps the bars: it announces once that something loads, and shows nothing for the first 150 ms. */
export function SkeletonGroup({
  label = 'Loading',
  children,
  className,
}: {
  label?: string;
  children: ReactNode;
  className?: string | undefined;
}) {
  const isSuccessor = useIsSuccessor();
  return (
    <div role="status" className={classNames(!isSuccessor && 'animate-after-wait', className)}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}

/** Rows with the geometry of a card's rows: a name over one line or two, a word at the end. */
export function SkeletonRows({ rows = 3, lines = 1 }: { rows?: number; lines?: 1 | 2 | 3 }) {
  return (
    <SkeletonGroup className="divide-y divide-line">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move
        <div key={index} className="flex items-center justify-between gap-4 px-4 py-4 sm:px-5">
          <div className="flex flex-col gap-2">
            <Skeleton className="h-4 w-36" />
            <Skeleton className="h-3.5 w-52" />
            {lines === 2 && <Skeleton className="h-3.5 w-40" />}
            {/* The line of checks, with the button in it. */}
            {lines === 3 && (
              <div className="flex h-10 items-center sm:h-7">
                <Skeleton className="h-3.5 w-40" />
              </div>
            )}
          </div>
          <Skeleton className="h-4 w-20 max-sm:hidden" />
        </div>
      ))}
    </SkeletonGroup>
  );
}

/** A form that is loading: its fields below each other, and its button. */
export function SkeletonForm({ fields }: { fields: number }) {
  return (
    <SkeletonGroup className="flex flex-col gap-4">
      {Array.from({ length: fields }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields are all the same and never move
        <div key={index} className="flex flex-col gap-1.5">
          <span className="flex h-5 items-center">
            <Skeleton className="h-3.5 w-24" />
          </span>
          <Skeleton className="h-control w-full" />
        </div>
      ))}
      <Skeleton className="h-control w-28" />
    </SkeletonGroup>
  );
}
