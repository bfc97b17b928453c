import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { paths } from '../../../lib/paths.ts';
import { costText } from '../plan-labels.ts';
import { Consents } from './consents.tsx';
import { useNewDeployment } from './new-deployment-form.tsx';
import { usePlanBlocker } from './use-plan-blocker.ts';

/** Publish below the given fields, or the link to a plan when there is none. */
export function PublishForm({ children }: { children?: ReactNode }) {
  const { blockedBecause, isPublishing, publish } = useNewDeployment();
  const plan = usePlanBlocker();
  const submit = useSubmitOnce(isPublishing, publish);
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      {children}
      {plan.blocker === null ? (
        <>
          <Consents />
          <Button
            type="submit"
            variant="primary"
            disabled={blockedBecause !== null || plan.allowance === undefined}
            isBusy={isPublishing}
            busyLabel="Publishing…"
          >
            Publish
          </Button>
          <CostLine />
        </>
      ) : (
        <>
          <div>
            <p className="font-medium">{plan.blocker.title}</p>
            <p className="mt-0.5 text-sm text-ink-muted">{plan.blocker.text}</p>
          </div>
          <Button variant="primary" asChild>
            <Link to={paths.subscriptionPricing}>{plan.blocker.action}</Link>
          </Button>
        </>
      )}
    </form>
  );
}

/** The line below the button: why it is disabled, or what publishing uses of the plan. */
function CostLine() {
  const { blockedBecause } = useNewDeployment();
  const plan = usePlanBlocker();
  if (blockedBecause === null && plan.allowance === undefined && plan.error !== null) {
    return (
      <p className="flex flex-wrap items-center justify-between gap-2 text-xs text-ink-muted">
        Your plan could not be loaded.
        <Button size="sm" onClick={plan.retry}>
          Try again
        </Button>
      </p>
    );
  }
  return (
    <p className="text-xs text-ink-muted tabular-nums">
      {blockedBecause ?? (plan.allowance === undefined ? ' ' : costText(plan.allowance))}
    </p>
  );
}
