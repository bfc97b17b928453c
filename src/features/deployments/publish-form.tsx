import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Button } from '../../components/button.tsx';
import { paths } from '../../lib/paths.ts';
import { costText } from './plan-words.ts';
import type { NewDeployment } from './use-new-deployment.ts';

export type PublishFormProps = { making: NewDeployment; children?: ReactNode };

/** What is asked before, and Publish; or the way to a plan where there is none. */
export function PublishForm({ making, children }: PublishFormProps) {
  const { plan, blockedBecause, isPublishing, publish, question } = making;
  return (
    <>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          publish();
        }}
      >
        {children}
        {plan.bar === null ? (
          <>
            <Button
              type="submit"
              variant="primary"
              disabled={blockedBecause !== null || plan.allowance === undefined}
              isBusy={isPublishing}
              busyLabel="Publishing…"
            >
              Publish
            </Button>
            <CostLine making={making} />
          </>
        ) : (
          <>
            <div>
              <p className="font-medium">{plan.bar.title}</p>
              <p className="mt-0.5 text-sm text-ink-muted">{plan.bar.text}</p>
            </div>
            <Button variant="primary" asChild>
              <Link to={paths.subscriptionPricing}>{plan.bar.action}</Link>
            </Button>
          </>
        )}
      </form>
      {question}
    </>
  );
}

/** Below the button: why it cannot be pressed, or what pressing it uses of the plan. */
function CostLine({ making: { plan, blockedBecause } }: { making: NewDeployment }) {
  if (blockedBecause === null && plan.allowance === undefined && plan.error !== null) {
    return (
      <p className="flex flex-wrap items-center justify-between gap-2 text-xs text-ink-muted">
        Your plan could not be looked up.
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
