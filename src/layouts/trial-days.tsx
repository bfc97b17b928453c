import { Suspense } from 'react';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { ErrorBoundary } from './error-boundary.tsx';

/** It asks for the subscription, with a client that the shell itself goes without. */
const daysLeft = lazyComponent<{ className: string }>(
  async () => (await import('../features/subscription/days-left.tsx')).DaysLeft,
);

/** The days of the trial that are left; nothing while it is not known, and for any other plan. */
export function TrialDays({ className }: { className: string }) {
  return (
    <ErrorBoundary onFailed={() => {}}>
      <Suspense fallback={null}>
        <daysLeft.Component className={className} />
      </Suspense>
    </ErrorBoundary>
  );
}
