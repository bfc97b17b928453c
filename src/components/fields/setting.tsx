import type { ReactNode } from 'react';

export type SettingProps = {
  title: ReactNode;
  /** The level of the heading; 2 when it directly follows the page's. */
  level?: 2 | 3;
  /** Shown at the far end: the control that changes it. */
  action?: ReactNode;
  children: ReactNode;
};

/** A row of a card: a setting, and the button that changes it. */
export function Setting({ title, level = 3, action, children }: SettingProps) {
  const Heading = `h${level}` as const;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-4 sm:p-5">
      <div className="min-w-0 flex-1 basis-60">
        <Heading className="font-semibold">{title}</Heading>
        <div className="mt-1 flex flex-col gap-1 text-ink-muted">{children}</div>
      </div>
      {action}
    </div>
  );
}
