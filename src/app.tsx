import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { queryClient } from './api/query-client.ts';
import { trpc, trpcClient } from './api/trpc.ts';
import { Toaster } from './components/toaster.tsx';
import { ErrorBoundary } from './layouts/error-boundary.tsx';
import { Shell } from './layouts/shell.tsx';

export function App() {
  return (
    <ErrorBoundary>
      <trpc.Provider client={trpcClient} queryClient={queryClient}>
        <QueryClientProvider client={queryClient}>
          {/* Without transitions: leaving a page and losing its session happen in one step, in that order. */}
          <BrowserRouter useTransitions={false}>
            <Shell />
          </BrowserRouter>
          <Toaster />
        </QueryClientProvider>
      </trpc.Provider>
    </ErrorBoundary>
  );
}
