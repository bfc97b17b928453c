import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { paths } from '../../../lib/paths/paths.ts';
import { Consents } from './consents.tsx';
import { costText } from './cost-text.ts';
import { CHOICES, ContinueThere, PublishAs, useNamesakes } from './name-field.tsx';
import { useNewDeployment, useNewDeploymentFields } from './new-deployment-form.tsx';
import { usePlanBlocker } from './use-plan-blocker.ts';

export type PublishFormProps = {
  className?: string;
  /**
   * Given where the form has no box on a small screen: its button stays in sight there while it may be pressed, below
   * this. The choice between two would cover too much.
   */
  aboveSticky?: ReactNode;
  /** False while something is awaited that is shown above the button: it would move away while it is pressed. */
  isReady?: boolean;
  children?: ReactNode;
};

/** Publish below the given fields, or the link to a plan when there is none. */
export function PublishForm({ className, aboveSticky, isReady = true, children }: PublishFormProps) {
  const { blockedBecause, isPublishing, publish } = useNewDeployment();
  const plan = usePlanBlocker();
  const namesakes = useNamesakes();
  // A person with a domain most often wants a site of its own for it, and not a release of another.
  const hasDomain = useNewDeploymentFields().watch('domain').trim() !== '';
  const isTaken = namesakes !== undefined && namesakes.length > 0;
  const submit = useSubmitOnce(isPublishing, () => !isTaken && publish());
  const isBlocked = blockedBecause !== null || plan.allowance === undefined || !isReady || namesakes === undefined;
  return (
    <form className={classNames('flex flex-col gap-4', className)} onSubmit={submit}>
      {children}
      {plan.blocker === null ? (
        <>
          <Consents />
          <div
            id={CHOICES}
            className={classNames(
              'grid gap-2',
              aboveSticky !== undefined && blockedBecause === null && !isTaken && STICKY,
            )}
          >
            {aboveSticky}
            {isTaken ? (
              <>
                <ContinueThere namesakes={namesakes} variant={hasDomain ? undefined : 'primary'} />
                <PublishAs disabled={isBlocked} variant={hasDomain ? 'primary' : undefined} />
                {hasDomain && (
                  <p className="text-xs text-ink-muted">
                    Only the new deployment gets your domain. For an existing one, add it there under Domains.
                  </p>
                )}
              </>
            ) : (
              <Button
                type="submit"
                variant="primary"
                disabled={isBlocked}
                isBusy={isPublishing}
                busyLabel="Publishing…"
              >
                Publish
              </Button>
            )}
          </div>
          {(!isTaken || blockedBecause !== null) && <CostLine />}
        </>
      ) : (
        <>
          {isTaken && <ContinueThere namesakes={namesakes} />}
          <p className="text-sm text-ink-muted">{plan.blocker.title}.</p>
          <Button variant="primary" asChild>
            <Link to={paths.subscriptionPricing}>{plan.blocker.action}</Link>
          </Button>
        </>
      )}
    </form>
  );
}

// What scrolls below it fades into the page.
const STICKY =
  'bottom-0 z-10 max-xl:pointer-events-none max-xl:sticky max-xl:-mt-8 max-xl:-mb-4 max-xl:bg-linear-to-t max-xl:from-surface max-xl:from-[calc(100%-2rem)] max-xl:to-transparent max-xl:pt-8 max-xl:pb-4 max-xl:*:pointer-events-auto';

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
