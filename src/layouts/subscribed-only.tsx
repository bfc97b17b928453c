import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { useHasActiveSubscription } from '../api/has-active-subscription.ts';
import { Spinner } from '../components/spinner.tsx';
import { paths } from '../lib/paths.ts';
import { Unreachable } from './unreachable.tsx';

/** Of a signed-in person: leads to the plans when no subscription is trialing or active. */
export function SubscribedOnly({ children }: { children: ReactNode }) {
  const { isActive, isLoading, error, retry } = useHasActiveSubscription();
  if (isLoading) return <Spinner label="Verifying access..." />;
  if (error !== null) return <Unreachable error={error} onRetry={retry} />;
  return isActive ? children : <Navigate to={paths.subscriptionPricing} replace />;
}
