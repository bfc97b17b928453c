import { BadgeCheck } from 'lucide-react';
import { Link } from 'wouter';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { errorMessage } from '../../api/errors.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { ErrorState } from '../../components/page/error-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { comingText } from '../../lib/coming-text.ts';
import { href, paths } from '../../lib/paths/paths.ts';
import { endLabel } from './plan-end.ts';
import { PlanLife } from './plan-life.tsx';
import type { PlanSituation } from './plan-situation.ts';
import { usePlan } from './use-plan.ts';

/** Shows the plan of the account, what is left of it, and its badge. */
export function PlanSetting({ isBetaTester }: { isBetaTester: boolean }) {
  const situation = usePlan();
  if (situation.kind === 'failed') {
    return (
      <ErrorState title="Your plan could not be loaded" onRetry={situation.retry}>
        {errorMessage(situation.error.cause ?? situation.error)}
      </ErrorState>
    );
  }
  if (situation.kind !== 'known') return <PlanPlace />;
  const { comingPayment } = situation.allowance;
  const end = situation.subscription === null ? null : endLabel(situation.subscription);
  return (
    <Setting
      title={planTitle(situation)}
      action={
        <Button asChild>
          <Link to={paths.pricing}>See the plans</Link>
        </Button>
      }
    >
      {(isBetaTester || situation.allowance.plan === 'BETA') && (
        <p>
          <Badge tone="accent" icon={BadgeCheck}>
            Beta Tester
          </Badge>
        </p>
      )}
      {end !== null && <p>{end}</p>}
      {comingPayment !== null && (
        <p>
          {comingText(comingPayment.plan)}.{' '}
          <Link
            to={href.subscriptionSuccess(comingPayment.id)}
            className="font-medium text-accent underline underline-offset-4"
          >
            See the payment
          </Link>
        </p>
      )}
      <p className="text-sm empty:hidden">{howMany(situation)}</p>
      {situation.subscription !== null && <PlanLife subscription={situation.subscription} />}
    </Setting>
  );
}

/** A placeholder as high as a plan without a badge, whose sentence takes two lines on a small screen. */
function PlanPlace() {
  const line = 'flex h-[1lh] items-center';
  return (
    <SkeletonGroup>
      <Setting
        title={
          <span className={line}>
            <Skeleton className="h-4 w-16" />
          </span>
        }
        action={<Skeleton className="h-control w-28" />}
      >
        <p className={line}>
          <Skeleton className="h-3.5 w-full max-w-80" />
        </p>
        <p className={`${line} -mt-1 sm:hidden`}>
          <Skeleton className="h-3.5 w-40" />
        </p>
        <p className={`${line} text-sm`}>
          <Skeleton className="h-3 w-44" />
        </p>
      </Setting>
    </SkeletonGroup>
  );
}

type Known = Extract<PlanSituation, { kind: 'known' }>;

function planTitle({ allowance: { plan }, subscription }: Known): string {
  if (plan === 'free') return 'No plan is active';
  return subscription?.status === 'trialing' ? `${PLANS[plan].title} trial` : PLANS[plan].title;
}

/** Returns how much of the plan is used; without one, what that means. */
function howMany({ allowance: { plan, deploymentCount, deploymentLimit, isTrialAvailable } }: Known): string {
  if (plan === 'free') {
    if (isTrialAvailable) return 'The 14-day trial of Pro is free and needs no card.';
    return deploymentCount === 0 ? '' : 'What is live stays live and cannot be changed.';
  }
  const used = formatCount(deploymentCount, 'deployment');
  return deploymentLimit === null ? `${used}. Your plan has no limit.` : `${used} of ${deploymentLimit}.`;
}
