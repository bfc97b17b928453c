import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

/** A raised surface with a border. Lines separate the rows inside, never further boxes. */
export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section {...rest} className={classNames('rounded-card border border-line bg-surface-raised', className)} />;
}

export type CardHeaderProps = {
  title: ReactNode;
  /** The number of rows in the card, beside the title. */
  count?: number | undefined;
  action?: ReactNode;
  /** The id for `aria-labelledby` of the card. */
  id?: string | undefined;
};

export function CardHeader({ title, count, action, id }: CardHeaderProps) {
  return (
    <div className="flex min-h-12 items-center justify-between gap-3 border-b border-line px-4 py-2 sm:px-5">
      <h2 id={id} className="font-semibold">
        {title}
        {count !== undefined && <span className="ml-2 font-normal text-ink-faint tabular-nums">{count}</span>}
      </h2>
      {action}
    </div>
  );
}

/** A padded part of a card; lines separate several. */
export function CardBody({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={classNames('px-4 py-4 sm:p-5 [&+&]:border-t [&+&]:border-line', className)} />;
}
