import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { DataProvider } from '../api/data-provider.tsx';
import { useHasActiveSubscription } from '../api/has-active-subscription.ts';
import { Spinner } from '../components/spinner.tsx';
import { paths } from '../lib/paths/paths.ts';
import { Unreachable } from './unreachable.tsx';

/** Asks the server whether the signed-in person has a subscription, with a client that no other guard needs. */
export function SubscribedOnly({ children }: { children: ReactNode }) {
  return (
    <DataProvider>
      <Guard>{children}</Guard>
    </DataProvider>
  );
}

/** Leads to the plans when no subscription is trialing or active. */
function Guard({ children }: { children: ReactNode }) {
  const { isActive, isLoading, error, retry } = useHasActiveSubscription();
  if (isLoading) return <Spinner label="Verifying access..." />;
  if (error !== null) return <Unreachable error={error} onRetry={retry} />;
  return isActive ? children : <Redirect to={paths.subscriptionPricing} replace />;
}
