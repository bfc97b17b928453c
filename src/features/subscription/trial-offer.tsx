import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { TRIAL_DAYS } from '../../../routers/schemas/limits.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { Allowance, Subscription } from '../../../routers/schemas/subscription.ts';
import { errorToast } from '../../api/errors.ts';
import { session } from '../../api/session/session.ts';
import { Button } from '../../components/button.tsx';
import { clearToasts, showToast } from '../../components/overlays/toast-store.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { useAddress, useNavigate } from '../../lib/browser/location.ts';
import { comingText } from '../../lib/coming-text.ts';
import { href, paths } from '../../lib/paths/paths.ts';
import { useWaiting } from '../../uploads/waiting-selection.ts';
import { endLabel } from './plan-end.ts';
import type { PlanSituation } from './plan-situation.ts';
import { useNextStep } from './use-next-step.ts';
import { useWanted } from './wanted.ts';

/** Offers the main act: starting the trial, or continuing with the present plan. */
export function TrialOffer({ situation }: { situation: PlanSituation }) {
  return (
    <section
      aria-labelledby="trial-title"
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4 rounded-card bg-accent-soft p-5"
    >
      {situation.kind === 'loading' || situation.kind === 'failed' ? (
        <OfferSkeleton />
      ) : (
        <Offer situation={situation} />
      )}
    </section>
  );
}

function Offer({ situation }: { situation: Extract<PlanSituation, { kind: 'visitor' | 'known' }> }) {
  const { search } = useAddress();
  if (situation.kind === 'visitor') {
    return (
      <OfferText
        title={`${TRIAL_DAYS} days of Pro, free`}
        text="No card needed. Register first: the trial belongs to your account."
      >
        <Button asChild variant="primary" className="max-sm:w-full">
          <Link to={paths.register + search}>Register</Link>
        </Button>
        <Button asChild className="max-sm:w-full">
          <Link to={paths.login + search}>Log in</Link>
        </Button>
      </OfferText>
    );
  }
  const { subscription, allowance } = situation;
  const { comingPayment } = allowance;
  if (comingPayment !== null) {
    const { id, plan } = comingPayment;
    return (
      <OfferText title={comingText(plan)} text={`${PLANS[plan].title} starts as soon as it has arrived.`}>
        <Button asChild variant="primary" className="max-sm:w-full">
          <Link to={href.subscriptionSuccess(id)}>See the payment</Link>
        </Button>
      </OfferText>
    );
  }
  if (allowance.isTrialAvailable) return <StartTrial />;
  if (subscription !== null && isActiveStatus(subscription.status)) {
    return <ActivePlan subscription={subscription} allowance={allowance} />;
  }
  return (
    <OfferText
      title="No plan is active"
      text={
        allowance.deploymentCount > 0
          ? 'What you published stays live and is read-only. Choose a plan below to change it again.'
          : `${subscription === null ? 'An earlier account with your email address used the free trial. ' : ''}Choose a plan below to publish.`
      }
    >
      <Button asChild className="max-sm:w-full">
        <Link to={paths.dashboard}>Go to Dashboard</Link>
      </Button>
    </OfferText>
  );
}

function StartTrial() {
  const navigate = useNavigate();
  const wanted = useWanted();
  const { selection: waiting } = useWaiting();
  const [isStarting, setStarting] = useState(false);

  async function startTrial() {
    setStarting(true);
    try {
      // Loaded on demand: visitors read the plans too, without tRPC.
      const { refreshAll, trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.subscription.startTrial.mutate();
      // The frame of each page says then how long the trial lasts: on a phone a toast would lie over the next act.
      await refreshAll();
      // One that asks to choose a plan is answered.
      clearToasts();
      // A folder that was dropped before waits for its owner.
      navigate(wanted ?? (waiting === null ? paths.dashboard : paths.newDeployment));
    } catch (error) {
      setStarting(false);
      showToast(errorToast('The trial was not started', error));
    }
  }

  const folder =
    waiting === null ? '' : waiting.name === '' ? ' Next: publish your files.' : ` Next: publish “${waiting.name}”.`;
  return (
    <OfferText title={`${TRIAL_DAYS} days of Pro, free`} text={`No card needed. One trial per account.${folder}`}>
      <Button
        variant="primary"
        onClick={startTrial}
        isBusy={isStarting}
        busyLabel="Starting…"
        className="max-sm:w-full"
      >
        Start the trial
      </Button>
    </OfferText>
  );
}

function ActivePlan({ subscription, allowance }: { subscription: Subscription; allowance: Allowance }) {
  const next = useNextStep(allowance);
  const { title } = PLANS[subscription.plan];
  const isTrial = subscription.status === 'trialing';
  return (
    <OfferText title={isTrial ? `Your ${title} trial` : `You are on ${title}`} text={endLabel(subscription) ?? ''}>
      <Button asChild variant="primary" className="max-sm:w-full">
        <Link to={next.to}>{next.label}</Link>
      </Button>
    </OfferText>
  );
}

function OfferText({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <>
      <div className="min-w-0 flex-1 basis-80">
        <h2 id="trial-title" className="text-lg font-semibold">
          {title}
        </h2>
        <p className="mt-0.5 text-ink-muted text-pretty">{text}</p>
      </div>
      <div className="flex flex-wrap gap-2 max-sm:w-full">{children}</div>
    </>
  );
}

/**
 * A placeholder as high as the likeliest offer: without a session, the one to a visitor, who may register or log in.
 */
function OfferSkeleton() {
  return (
    <>
      <div className="min-w-0 flex-1 basis-80">
        <h2 id="trial-title" className="sr-only">
          Loading your plan
        </h2>
        <Skeleton className="my-1 h-4 w-48" />
        <Skeleton className="mt-2 mb-1 h-3.5 w-full max-w-96" />
        <Skeleton className="mt-2 mb-1 h-3.5 w-40 sm:hidden" />
      </div>
      <div className="flex flex-wrap gap-2 max-sm:w-full">
        <Skeleton className="h-control w-32 max-sm:w-full" />
        {!session.hasToken() && <Skeleton className="h-control w-24 max-sm:w-full" />}
      </div>
    </>
  );
}
