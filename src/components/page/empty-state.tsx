import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type EmptyStateProps = {
  icon?: LucideIcon | undefined;
  /** One sentence: what goes here, and what to do first. */
  children: ReactNode;
  /** One button. */
  action?: ReactNode;
  /** True for the height of the row of placeholders that it follows, so that nothing below moves. */
  isRow?: boolean | undefined;
  className?: string | undefined;
};

const MIDDLE = 'flex-col gap-4 px-5 py-12 text-center';
const ROW = 'h-full min-h-23 gap-4 p-4 sm:px-5';

export function EmptyState({ icon: Icon, children, action, isRow = false, className }: EmptyStateProps) {
  return (
    <div className={classNames('flex items-center', isRow ? ROW : MIDDLE, className)}>
      {Icon && (
        <span className="flex size-11 shrink-0 items-center justify-center rounded-card border border-line bg-surface-raised text-ink-muted">
          <Icon className="size-5" />
        </span>
      )}
      <p className={classNames('text-ink-muted', isRow ? 'text-pretty' : 'max-w-96 text-balance')}>{children}</p>
      {action}
    </div>
  );
}
