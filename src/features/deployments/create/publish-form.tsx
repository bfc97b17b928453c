import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { paths } from '../../../lib/paths.ts';
import { costText } from '../plan-labels.ts';
import { Consents } from './consents.tsx';
import { useNewDeployment } from './new-deployment-form.tsx';
import { usePlanBlocker } from './use-plan-blocker.ts';

export type PublishFormProps = { className?: string; children?: ReactNode };

/**
 * Publish below the given fields, or the link to a plan when there is none. On a small screen the button sticks to the
 * bottom while it may be pressed: as far as the box around the form goes.
 */
export function PublishForm({ className, children }: PublishFormProps) {
  const { blockedBecause, isPublishing, publish } = useNewDeployment();
  const plan = usePlanBlocker();
  const submit = useSubmitOnce(isPublishing, publish);
  return (
    <form className={classNames('flex flex-col gap-4', className)} onSubmit={submit}>
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
            className={blockedBecause === null ? STICKY : undefined}
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

const STICKY = 'bottom-4 z-10 ring-16 ring-surface max-lg:sticky';

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
