import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type Fact = {
  name: string;
  value: ReactNode;
  /** True for the sum of the facts above it. */
  isTotal?: boolean;
};

/** Pairs of a name and its value, in two columns. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="flex flex-col gap-2.5 text-sm">
      {facts.map(({ name, value, isTotal = false }) => (
        <div
          key={name}
          className={classNames(
            'flex items-baseline justify-between gap-4',
            isTotal && 'border-t border-line pt-2.5 font-semibold',
          )}
        >
          <dt className="shrink-0 text-ink-muted">{name}</dt>
          <dd className="min-w-0 text-right tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
