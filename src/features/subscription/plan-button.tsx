import { useId, useState } from 'react';
import { Link } from 'wouter';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import { errorToast } from '../../api/errors.ts';
import { Button } from '../../components/button.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useAddress } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import type { PlanAct } from './plan-act.ts';
import { storeWanted, useWanted } from './wanted.ts';

// Visitors, who read the plans without tRPC, open neither.
const FewerDeploymentsDialog = lazyDialog(
  async () => (await import('./fewer-deployments-dialog.tsx')).FewerDeploymentsDialog,
);
const SmallerPlanDialog = lazyDialog(async () => (await import('./smaller-plan-dialog.tsx')).SmallerPlanDialog);

/** Leads to paying for the plan, or says why that is impossible now. */
export function PlanButton({ plan, act }: { plan: PaidPlan; act: PlanAct }) {
  const { isOpening, openCheckout } = useCheckout(plan);
  const [isAsking, setAsking] = useState(false);
  const reasonId = useId();
  const { search } = useAddress();
  const { kind, label } = act;
  const reason = 'reason' in act ? act.reason : null;
  const close = () => setAsking(false);

  if (kind === 'register') {
    return (
      <Button asChild className="mt-5 w-full">
        <Link to={paths.register + search}>{label}</Link>
      </Button>
    );
  }
  return (
    <>
      {/* Above it, so that the buttons of all plans stand in one line. */}
      {reason !== null && (
        <p id={reasonId} className="mt-5 -mb-2 text-sm text-ink-muted">
          {reason}
        </p>
      )}
      <Button
        className="mt-5 w-full"
        disabled={kind === 'wait' || kind === 'none'}
        aria-describedby={reason === null ? undefined : reasonId}
        isBusy={isOpening}
        busyLabel="Opening…"
        onClick={() => (kind === 'checkout' ? void openCheckout() : setAsking(true))}
      >
        {label}
      </Button>
      {isAsking && kind === 'fewer' && (
        <FewerDeploymentsDialog
          plan={plan}
          count={act.count}
          isBusy={isOpening}
          onConfirm={() => void openCheckout()}
          onClose={close}
        />
      )}
      {isAsking && kind === 'later' && (
        <SmallerPlanDialog subscription={act.subscription} first={plan} onClose={close} />
      )}
    </>
  );
}

function useCheckout(plan: PaidPlan) {
  const [isOpening, setOpening] = useState(false);
  const wanted = useWanted();

  async function openCheckout() {
    setOpening(true);
    try {
      // Loaded on demand: visitors read the plans too, without tRPC.
      const { trpcClient } = await import('../../api/trpc.ts');
      const { url } = await trpcClient.payments.checkout.mutate({ plan });
      if (wanted !== null) storeWanted(wanted);
      location.assign(url);
    } catch (error) {
      setOpening(false);
      showToast(errorToast('The checkout was not opened', error));
    }
  }

  return { isOpening, openCheckout };
}
