import type { ReactNode } from 'react';
import { Offline } from '../components/offline.tsx';
import { LegalLinks } from '../features/subscription/legal-links.tsx';
import { SkipLink } from './skip-link.tsx';
import { TopBar } from './top-bar.tsx';

/** The layout of public pages: the top bar, and below it the screen, which has its own column. */
export function PlainLayout({ children }: { children: ReactNode }) {
  return (
    <div className="group flex min-h-dvh flex-col">
      <SkipLink />
      <TopBar />
      <main id="content" tabIndex={-1} className="flex grow flex-col">
        <Offline className="top-16 mx-4 mt-2 sm:mx-10" />
        {children}
      </main>
      {/* Below a screen that is on its way it would jump when that comes. */}
      <footer className="border-t border-line px-4 pt-3 pb-20 group-has-data-loading:invisible sm:px-10 sm:pb-4 print:hidden">
        <LegalLinks />
      </footer>
    </div>
  );
}
