import type { ReactNode } from 'react';
import { SkipLink } from './skip-link.tsx';
import { TopBar } from './top-bar.tsx';

/** Of the public pages: the top bar above, the screen with a column of its own below (specification, section 2). */
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
