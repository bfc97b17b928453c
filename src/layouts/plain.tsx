import type { ReactNode } from 'react';
import { SkipLink } from './skip-link.tsx';
import { TopBar } from './top-bar.tsx';

/** The layout of public pages: the top bar, and below it the screen, which brings its own column. */
export function PlainLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <TopBar />
      <main id="content" tabIndex={-1} className="flex grow flex-col">
        {children}
      </main>
    </div>
  );
}
