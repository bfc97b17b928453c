import { FolderUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type DropTargetProps = {
  title: string;
  description: ReactNode;
  /** Replaces both while files are read; nothing around them moves. */
  reading: { title: string; description: ReactNode } | false;
  /** Buttons that do the same without dragging. */
  actions: ReactNode;
  /** True while something is dragged over the page. */
  isOver: boolean;
  /** Highlights it as the next step. */
  isWanted: boolean;
  /** `wide`: in a row across the page; `tall`: the one thing of a page; `compact`: in a side column. */
  shape: 'wide' | 'tall' | 'compact';
};

const shapes = {
  wide: 'flex flex-col gap-4 p-6 sm:flex-row sm:items-center sm:gap-5 sm:p-8',
  tall: 'flex min-h-72 flex-col items-center justify-center gap-4 p-8 text-center',
  compact: 'flex flex-col gap-4 p-5',
};

/** The look of a place to drop things; the caller handles the drop. */
export function DropTarget({ title, description, reading, actions, isOver, isWanted, shape }: DropTargetProps) {
  return (
    <div
      data-over={isOver || isWanted || undefined}
      className={classNames(
        'rounded-card border border-dashed border-line-control/60 bg-surface-sunken transition-colors data-over:border-accent data-over:bg-accent-soft',
        shapes[shape],
      )}
    >
      <span className="flex size-11 shrink-0 items-center justify-center rounded-card border border-line bg-surface-raised text-accent">
        <FolderUp className="size-5" />
      </span>
      <div className={classNames('grid min-w-0 text-balance *:[grid-area:1/1]', shape === 'wide' && 'sm:grow')}>
        {[{ title, description }, reading].map(
          (words) =>
            words && (
              <div key={words.title} className={reading && words !== reading ? 'invisible' : undefined}>
                <p className={classNames('font-semibold', shape === 'compact' ? 'text-base' : 'text-lg')}>
                  {words.title}
                </p>
                <div className="text-ink-muted">{words.description}</div>
              </div>
            ),
        )}
      </div>
      <div className="flex shrink-0 flex-wrap gap-2">{actions}</div>
    </div>
  );
}
