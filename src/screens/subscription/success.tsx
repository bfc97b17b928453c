import { Link } from 'wouter';
import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import type { Payment } from '../../../routers/schemas/payments.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { errorMessage } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/page/error-state.tsx';
import { Page } from '../../components/page/page.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { endLabel } from '../../features/subscription/plan-end.ts';
import type { PlanSituation } from '../../features/subscription/plan-situation.ts';
import { useNextStep } from '../../features/subscription/use-next-step.ts';
import { usePlan } from '../../features/subscription/use-plan.ts';
import { forgetWanted } from '../../features/subscription/wanted.ts';
import { useAddress } from '../../lib/browser/location.ts';
import { href, paths } from '../../lib/paths/paths.ts';

/** Events tell of most changes; because the person waits for this one, it is polled as well. */
const LOOK_AGAIN_MS = 5_000;

/** Shows payment and plan as the server has them: being at this address proves nothing. */
export function SubscriptionSuccessScreen() {
  const situation = usePlan();
  const payment = useReturnedPayment(situation.kind === 'known');
  const next = useNextStep(situation.kind === 'known' ? situation.allowance : null);
  if (situation.kind === 'loading' || payment === 'loading') return <Spinner label="Reading your plan…" />;
  if (situation.kind === 'failed') {
    return (
      <Page width="reading">
        <h1 className="mb-4 text-2xl font-semibold">Your plan</h1>
        <Card>
          <ErrorState title="Your plan could not be loaded" onRetry={situation.retry}>
            {errorMessage(situation.error.cause ?? situation.error)}
          </ErrorState>
        </Card>
      </Page>
    );
  }
  const { title, text, isActive } = isAwaited(payment) ? onItsWay(payment) : summaryOf(situation);
  return (
    <Page width="reading">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="mt-2 text-lg text-ink-muted text-pretty">{text}</p>
      <div className="mt-6 flex flex-wrap gap-2">
        {situation.kind === 'visitor' && (
          <Button asChild variant="primary" className="max-sm:w-full">
            <Link to={href.login(paths.subscriptionSuccess)}>Log in</Link>
          </Button>
        )}
        <Button asChild variant={situation.kind === 'visitor' ? 'secondary' : 'primary'} className="max-sm:w-full">
          {isActive ? (
            <Link to={next.to} onClick={forgetWanted}>
              {next.label}
            </Link>
          ) : (
            <Link to={paths.subscriptionPricing}>See the plans</Link>
          )}
        </Button>
        {payment?.state === 'paid' && isActive && (
          <Button asChild className="max-sm:w-full">
            <Link to={paths.paymentSuccess}>See the receipt</Link>
          </Button>
        )}
      </div>
    </Page>
  );
}

/** True for a payment made elsewhere whose outcome is unknown, or confirmed while the money is on its way. */
function isAwaited(payment: Payment | null | undefined): payment is Payment {
  return payment?.state === 'pending' && (payment.isProcessing || !payment.isTest);
}

type Summary = { title: string; text: string; isActive: boolean };

/** Returns the payment in the address if it belongs to the account, and polls it while it is on its way. */
function useReturnedPayment(isSignedIn: boolean): Payment | null | 'loading' {
  const { search } = useAddress();
  const paymentId = new URLSearchParams(search).get('session_id');
  const isAsked = isSignedIn && paymentId !== null;
  const payment = trpc.payments.get.useQuery(
    { paymentId: paymentId ?? '' },
    { enabled: isAsked, refetchInterval: ({ state }) => isAwaited(state.data) && LOOK_AGAIN_MS },
  );
  return isAsked && payment.isPending ? 'loading' : (payment.data ?? null);
}

function onItsWay({ plan, isProcessing }: Payment): Summary {
  return {
    title: isProcessing ? 'Your payment is on its way' : 'Your payment is not confirmed yet',
    text: `${PLANS[plan].title} starts as soon as your payment has arrived. This page updates by itself, and you can leave it.`,
    isActive: true,
  };
}

function summaryOf(situation: Extract<PlanSituation, { kind: 'visitor' | 'known' }>): Summary {
  if (situation.kind === 'visitor') {
    return { title: 'You’re not logged in', text: 'Log in to see which plan your account has.', isActive: false };
  }
  const { subscription } = situation;
  if (subscription !== null && isActiveStatus(subscription.status)) {
    const { title } = PLANS[subscription.plan];
    const what = subscription.status === 'trialing' ? `Your ${title} trial is active` : `Your ${title} plan is active`;
    return {
      title: what,
      text: endLabel(subscription) ?? '',
      isActive: true,
    };
  }
  return {
    title: 'No plan is active',
    text: 'A plan starts as soon as its payment has arrived.',
    isActive: false,
  };
}
