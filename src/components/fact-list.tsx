import type { ReactNode } from 'react';

/** Pairs of a name and its value, in two columns. */
export function FactList({ facts }: { facts: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className="flex flex-col gap-2.5 text-sm">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex items-baseline justify-between gap-4">
          <dt className="shrink-0 text-ink-muted">{name}</dt>
          <dd className="min-w-0 text-right tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
