import { lazy, type ReactNode } from 'react';
import { Redirect } from 'wouter';
import { useUser } from '../api/user.ts';
import { Spinner } from '../components/spinner.tsx';
import { useAddress } from '../lib/browser/location.ts';
import { href } from '../lib/paths/paths.ts';
import type { Access } from '../routes.tsx';
import { Unreachable } from './unreachable.tsx';

/** Only one route needs a subscription. */
const SubscribedOnly = lazy(async () => ({ default: (await import('./subscribed-only.tsx')).SubscribedOnly }));

/** Lets everybody through whom the route table allows. */
export function AccessGuard({ access, children }: { access: Access; children: ReactNode }) {
  if (access === 'public') return children;
  return (
    <SignedInOnly>{access === 'subscription' ? <SubscribedOnly>{children}</SubscribedOnly> : children}</SignedInOnly>
  );
}

function SignedInOnly({ children }: { children: ReactNode }) {
  const { user, isLoading, error, retry } = useUser();
  const { pathname, search } = useAddress();
  if (isLoading) return <Spinner label="Verifying access..." />;
  if (error !== null) return <Unreachable error={error} onRetry={retry} />;
  if (user === null) return <Redirect to={href.auth(pathname + search)} replace />;
  return children;
}
