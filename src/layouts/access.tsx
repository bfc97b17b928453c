import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { errorMessage } from '../api/errors.ts';
import { useHasActiveSubscription } from '../api/has-active-subscription.ts';
import { useUser } from '../api/user.ts';
import { Card } from '../components/card.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Spinner } from '../components/spinner.tsx';
import { href, paths } from '../lib/paths.ts';
import type { Access } from '../routes.tsx';

/** Lets through whom the route table lets through (specification, section 4, protected route). */
export function AccessGuard({ access, children }: { access: Access; children: ReactNode }) {
  if (access === 'public') return children;
  return (
    <SignedInOnly>{access === 'subscription' ? <SubscribedOnly>{children}</SubscribedOnly> : children}</SignedInOnly>
  );
}

function SignedInOnly({ children }: { children: ReactNode }) {
  const { user, isLoading, error, retry } = useUser();
  const { pathname, search } = useLocation();
  if (isLoading) return <Spinner label="Verifying access..." />;
  if (error !== null) return <Unreachable error={error} onRetry={retry} />;
  if (user === null) return <Navigate to={href.auth(pathname + search)} replace />;
  return children;
}

function SubscribedOnly({ children }: { children: ReactNode }) {
  const { isActive, isLoading, error, retry } = useHasActiveSubscription();
  if (isLoading) return <Spinner label="Verifying access..." />;
  if (error !== null) return <Unreachable error={error} onRetry={retry} />;
  return isActive ? children : <Navigate to={paths.subscriptionPricing} replace />;
}

/** Nobody could say who is signed in: that ends nothing, and the person is not sent away. */
function Unreachable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Card className="mx-auto max-w-reading">
      <ErrorState title={errorMessage(error)} onRetry={onRetry}>
        You are still signed in. Check your connection, then try again.
      </ErrorState>
    </Card>
  );
}
