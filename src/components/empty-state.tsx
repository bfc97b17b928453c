import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type EmptyStateProps = {
  icon?: LucideIcon | undefined;
  /** One sentence: what goes here, and what to do first. */
  children: ReactNode;
  /** One button. */
  action?: ReactNode;
  className?: string | undefined;
};

export function EmptyState({ icon: Icon, children, action, className }: EmptyStateProps) {
  return (
    <div className={classNames('flex flex-col items-center gap-4 px-5 py-12 text-center', className)}>
      {Icon && (
        <span className="flex size-11 items-center justify-center rounded-card border border-line bg-surface-raised text-ink-muted">
          <Icon className="size-5" />
        </span>
      )}
      <p className="max-w-96 text-ink-muted text-balance">{children}</p>
      {action}
    </div>
  );
}
