import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type PageProps = {
  /** `content`: things side by side; `reading`: text. */
  width?: 'content' | 'reading' | undefined;
  children: ReactNode;
  className?: string | undefined;
};

/** The column of a screen of the plain layout; its foot leaves room for the floating button. */
export function Page({ width = 'content', children, className }: PageProps) {
  return (
    <div
      className={classNames(
        'mx-auto w-full px-4 pt-8 pb-28 sm:px-10 sm:pt-16',
        width === 'content' ? 'max-w-page' : 'max-w-[calc(var(--container-reading)+5rem)]',
        className,
      )}
    >
      {children}
    </div>
  );
}
