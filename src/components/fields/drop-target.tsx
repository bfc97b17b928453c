import { FolderUp } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type DropTargetProps = Omit<ComponentProps<'div'>, 'title'> & {
  title: string;
  description?: ReactNode;
  /** Buttons that do the same without dragging. */
  actions?: ReactNode;
  /** True while something is dragged over the page. */
  isOver?: boolean | undefined;
  /** Highlights it as the next step. */
  isWanted?: boolean | undefined;
  /** `wide`: in a row across the page; `tall`: the one thing of a page; `compact`: in a side column. */
  shape?: 'wide' | 'tall' | 'compact' | undefined;
};

const shapes = {
  wide: 'flex flex-col gap-4 p-6 sm:flex-row sm:items-center sm:gap-5 sm:p-8',
  tall: 'flex min-h-72 flex-col items-center justify-center gap-4 p-8 text-center',
  compact: 'flex flex-col gap-4 p-5',
};

/** The look of a place to drop things; the caller handles the drop, and passes the drag handlers. */
export function DropTarget({
  title,
  description,
  actions,
  isOver = false,
  isWanted = false,
  shape = 'wide',
  className,
  ...rest
}: DropTargetProps) {
  return (
    <div
      {...rest}
      data-over={isOver || isWanted || undefined}
      className={classNames(
        'rounded-card border border-dashed border-line-control/60 bg-surface-sunken transition-colors data-over:border-accent data-over:bg-accent-soft',
        shapes[shape],
        className,
      )}
    >
      <span className="flex size-11 shrink-0 items-center justify-center rounded-card border border-line bg-surface-raised text-accent">
        <FolderUp className="size-5" />
      </span>
      <div className={classNames('min-w-0', shape === 'wide' && 'sm:grow')}>
        <p className={classNames('font-semibold', shape === 'compact' ? 'text-base' : 'text-lg')}>{title}</p>
        {description !== undefined && <div className="text-ink-muted">{description}</div>}
      </div>
      {actions !== undefined && <div className="flex shrink-0 flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
