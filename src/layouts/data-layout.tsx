import type { ReactNode } from 'react';
import { DataProvider } from '../api/data-provider.tsx';
import { useResumedSendings } from '../uploads/use-publish.ts';

/** Wraps screens that fetch data. An upload that a reload interrupted continues wherever its owner is in the app. */
export function DataLayout({ children }: { children: ReactNode }) {
  return (
    <DataProvider>
      <ResumedSendings />
      {children}
    </DataProvider>
  );
}

function ResumedSendings() {
  useResumedSendings();
  return null;
}
