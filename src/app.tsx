import { Router } from 'wouter';
import { Toaster } from './components/overlays/toaster.tsx';
import { ErrorBoundary } from './components/page/error-boundary.tsx';
import { Shell } from './layouts/shell.tsx';
import { aroundNavigation } from './lib/browser/location.ts';

export function App() {
  return (
    <ErrorBoundary>
      <Router aroundNav={aroundNavigation}>
        <Shell />
      </Router>
      <ErrorBoundary onFailed={() => {}}>
        <Toaster />
      </ErrorBoundary>
    </ErrorBoundary>
  );
}
