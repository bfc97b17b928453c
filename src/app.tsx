import { BrowserRouter } from 'react-router';
import { Toaster } from './components/toaster.tsx';
import { ErrorBoundary } from './layouts/error-boundary.tsx';
import { Shell } from './layouts/shell.tsx';

export function App() {
  return (
    <ErrorBoundary>
      {/* Without transitions: leaving a page and losing its session happen in one step, in that order. */}
      <BrowserRouter useTransitions={false}>
        <Shell />
      </BrowserRouter>
      <ErrorBoundary onFailed={() => {}}>
        <Toaster />
      </ErrorBoundary>
    </ErrorBoundary>
  );
}
