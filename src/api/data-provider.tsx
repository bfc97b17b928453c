import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryClient } from './query-client.ts';
import { trpc, trpcClient } from './trpc.ts';
import { useResumedPublications } from './use-publish.ts';

/** Around what uses the hooks of tRPC. Fetched with the first such screen: a visitor's first page goes without it. */
export function DataProvider({ children }: { children: ReactNode }) {
  return (
    <trpc.Provider client={trpcClient} queryClient={queryClient}>
      <QueryClientProvider client={queryClient}>
        <ResumedPublications />
        {children}
      </QueryClientProvider>
    </trpc.Provider>
  );
}

/** Wherever its owner is in the app, what a reload interrupted goes on. */
function ResumedPublications() {
  useResumedPublications();
  return null;
}
