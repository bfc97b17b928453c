import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type NoticeProps = {
  /** `quiet`: good to know, without an act. */
  tone: 'quiet' | 'accent' | 'warn' | 'bad';
  title?: ReactNode;
  children: ReactNode;
  action?: ReactNode;
  className?: string | undefined;
};

const tones: Record<NoticeProps['tone'], { look: string; icon: LucideIcon; iconLook: string }> = {
  quiet: { look: 'border border-line bg-surface-sunken', icon: Info, iconLook: 'text-ink-muted' },
  accent: { look: 'bg-accent-soft', icon: Info, iconLook: 'text-accent' },
  warn: { look: 'bg-warn-soft', icon: TriangleAlert, iconLook: 'text-warn' },
  bad: { look: 'bg-bad-soft', icon: CircleAlert, iconLook: 'text-bad' },
};

/** Information before going on, in the flow of the page. */
export function Notice({ tone, title, children, action, className }: NoticeProps) {
  const { look, icon: Icon, iconLook } = tones[tone];
  return (
    <div
      data-notice={tone}
      className={classNames('flex flex-wrap items-center gap-x-4 gap-y-3 rounded-card px-4 py-3', look, className)}
    >
      <div className="flex min-w-60 flex-1 items-start gap-3">
        <Icon className={classNames('mt-0.5', iconLook)} />
        <div className="min-w-0">
          {title !== undefined && <p className="font-medium">{title}</p>}
          <div className={title === undefined ? undefined : 'text-sm text-ink-muted'}>{children}</div>
        </div>
      </div>
      {action}
    </div>
  );
}
