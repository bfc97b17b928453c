import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { Button } from '../components/button.tsx';
import type { AccountMenuProps } from './account-menu.tsx';
import { ErrorBoundary } from './error-boundary.tsx';

const loadMenu = async () => ({ default: (await import('./account-menu.tsx')).AccountMenu });
let AccountMenu = lazy(loadMenu);

/** The account menu, from a file of its own: where that did not come, a button in its place or the next page asks again. */
export function AccountMenuLater({ user, look }: AccountMenuProps) {
  const { pathname } = useLocation();
  const [hasFailed, setFailed] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page asks once more
  useEffect(() => setFailed(false), [pathname]);

  if (hasFailed) {
    return (
      <Button className={look === 'row' ? 'w-full' : undefined} onClick={() => setFailed(false)}>
        Account menu
      </Button>
    );
  }
  return (
    <ErrorBoundary
      onFailed={() => {
        AccountMenu = lazy(loadMenu);
        setFailed(true);
      }}
    >
      <Suspense fallback={<span className={look === 'row' ? 'block h-control' : 'size-control'} />}>
        <AccountMenu user={user} look={look} />
      </Suspense>
    </ErrorBoundary>
  );
}
