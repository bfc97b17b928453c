import type { ReactNode } from 'react';

export type SidebarFrameProps = { aside?: ReactNode; bar?: ReactNode; children: ReactNode };

/** Places the sidebar, the mobile bar and the content; their content may arrive later without moving anything. */
export function SidebarFrame({ aside, bar, children }: SidebarFrameProps) {
  return (
    <div className="min-h-dvh lg:pl-sidebar print:pl-0">
      {aside}
      <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b border-line bg-surface-raised px-3 lg:hidden print:hidden">
        {bar}
      </header>
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-page px-4 pt-5 pb-28 sm:px-10 sm:pt-8">
        {children}
      </main>
    </div>
  );
}
