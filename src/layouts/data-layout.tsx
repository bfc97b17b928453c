import type { ReactNode } from 'react';
import { DataProvider } from '../api/data-provider.tsx';
import { useResumedPublications } from '../uploads/use-publish.ts';

/** Wraps screens that ask for data. Wherever its owner is in the app, an upload that a reload interrupted goes on. */
export function DataLayout({ children }: { children: ReactNode }) {
  return (
    <DataProvider>
      <ResumedPublications />
      {children}
    </DataProvider>
  );
}

function ResumedPublications() {
  useResumedPublications();
  return null;
}
