import { Link } from 'wouter';
import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { errorMessage } from '../../api/errors.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Page } from '../../components/page.tsx';
import { Spinner } from '../../components/spinner.tsx';
import type { PlanSituation } from '../../features/subscription/plan-situation.ts';
import { usePlan } from '../../features/subscription/use-plan.ts';
import { formatDate } from '../../lib/format.ts';
import { href, paths } from '../../lib/paths.ts';

/** Shows the plan as the server has it: being at this address proves no payment. */
export function SubscriptionSuccessScreen() {
  const situation = usePlan();
  if (situation.kind === 'loading') return <Spinner label="Reading your plan…" />;
  if (situation.kind === 'failed') {
    return (
      <Page width="reading">
        <h1 className="mb-4 text-2xl font-semibold">Your plan</h1>
        <Card>
          <ErrorState title="Your plan could not be read" onRetry={situation.retry}>
            {errorMessage(situation.error.cause ?? situation.error)}
          </ErrorState>
        </Card>
      </Page>
    );
  }
  const { title, text, isActive } = verdict(situation);
  return (
    <Page width="reading">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="mt-2 text-lg text-ink-muted text-pretty">{text}</p>
      <div className="mt-6 flex flex-wrap gap-2">
        {situation.kind === 'visitor' && (
          <Button asChild variant="primary">
            <Link to={href.auth(paths.subscriptionSuccess)}>Log in</Link>
          </Button>
        )}
        <Button asChild variant={situation.kind === 'visitor' ? 'secondary' : 'primary'}>
          {isActive ? (
            <Link to={paths.dashboard}>Go to Dashboard</Link>
          ) : (
            <Link to={paths.subscriptionPricing}>See the plans</Link>
          )}
        </Button>
      </div>
    </Page>
  );
}

function verdict(situation: Extract<PlanSituation, { kind: 'visitor' | 'known' }>): {
  title: string;
  text: string;
  isActive: boolean;
} {
  if (situation.kind === 'visitor') {
    return { title: 'Nobody is signed in', text: 'Log in to see which plan your account has.', isActive: false };
  }
  const { subscription } = situation;
  if (subscription !== null && isActiveStatus(subscription.status)) {
    const { title } = PLANS[subscription.plan];
    const what = subscription.status === 'trialing' ? `Your ${title} trial is active` : `Your ${title} plan is active`;
    return {
      title: what,
      text: `It runs until ${formatDate(subscription.endsAt)}. Nothing renews by itself.`,
      isActive: true,
    };
  }
  return {
    title: 'No plan is active',
    text: 'No payment is recorded for your account, and none was taken: paying by card is not available in this version.',
    isActive: false,
  };
}
