import { lazy, Suspense } from 'react';
import { useUser } from '../../api/user.ts';
import type { PlanSituation } from './plan-situation.ts';
import { PlanView } from './plan-view.tsx';

/** Fetches the account's plan; a visitor needs neither the request nor its code. */
const OwnPlan = lazy(async () => ({ default: (await import('./own-plan.tsx')).OwnPlan }));

/** Shown below the headings of both screens with plans. */
export const PLAN_CHOICE = 'Compare the plans.';

/** Shows the content of /pricing and /subscription/pricing below their headings. */
export function PlanChooser() {
  const { user, isLoading, error, retry } = useUser();
  if (user === null) return <PlanView situation={withoutAccount(isLoading, error, retry)} />;
  return (
    <Suspense fallback={<PlanView situation={{ kind: 'loading' }} />}>
      <OwnPlan />
    </Suspense>
  );
}

function withoutAccount(isLoading: boolean, error: Error | null, retry: () => void): PlanSituation {
  if (error !== null) return { kind: 'failed', error, retry };
  return isLoading ? { kind: 'loading' } : { kind: 'visitor' };
}
