import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { paths } from '../../../lib/paths/paths.ts';
import { usePlanBlocker } from './use-plan-blocker.ts';

/** Says in place of the usual description that the plan allows no new deployment, before a form is filled in. */
export function PlanLine({ children }: { children: ReactNode }) {
  const { blocker, allowance } = usePlanBlocker();
  if (blocker === null) return children;
  return (
    <>
      <span className="font-medium text-ink">{blocker.title}.</span> {blocker.text}{' '}
      <Link to={paths.subscriptionPricing} className="rounded-tight text-accent underline">
        {blocker.action}
      </Link>
      {allowance?.plan !== 'free' && (
        <>
          {' · '}
          <Link to={paths.deployments} className="rounded-tight text-accent underline">
            See your deployments
          </Link>
        </>
      )}
    </>
  );
}
