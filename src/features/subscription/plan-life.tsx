import { useState } from 'react';
import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { formatDate } from '../../lib/format.ts';
import { endLabel, smallerPlans } from './plan-end.ts';

const SmallerPlanDialog = lazyDialog(async () => (await import('./smaller-plan-dialog.tsx')).SmallerPlanDialog);

/** Offers the choices about the end of a plan that renews: end it, continue with a smaller one, or keep it. */
export function PlanLife({ subscription }: { subscription: Subscription }) {
  const [asked, ask] = useState<'cancel' | 'change' | null>(null);
  const { plan, endsAt, renews, cancelAtEnd, nextPlan, status } = subscription;
  const { title } = PLANS[plan];
  const close = () => ask(null);
  const resume = trpc.subscription.resume.useMutation({
    onSuccess: (known) => showToast({ title: `${title} continues`, description: endLabel(known) ?? '' }),
    onError: (error) => showToast(errorToast('The plan was not resumed', error)),
  });
  const cancel = trpc.subscription.cancel.useMutation({
    onSuccess() {
      close();
      showToast({ title: 'Plan cancelled', description: `${title} stays yours until ${formatDate(endsAt)}.` });
    },
    onError(error) {
      close();
      showToast(errorToast('The plan was not cancelled', error));
    },
  });
  if (!renews || !isActiveStatus(status)) return null;
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {(cancelAtEnd || nextPlan !== null) && (
        <Button size="sm" isBusy={resume.isPending} busyLabel="Resuming…" onClick={() => resume.mutate()}>
          Keep {title}
        </Button>
      )}
      {smallerPlans(plan).length > 0 && (
        <Button size="sm" onClick={() => ask('change')}>
          Choose a smaller plan
        </Button>
      )}
      {!cancelAtEnd && (
        <Button size="sm" onClick={() => ask('cancel')}>
          Cancel plan
        </Button>
      )}
      {asked === 'change' && <SmallerPlanDialog subscription={subscription} onClose={close} />}
      <ConfirmDialog
        isOpen={asked === 'cancel'}
        onOpenChange={(isOpen) => {
          if (!isOpen) close();
        }}
        title={`Cancel ${title}?`}
        description={`It stays yours until ${formatDate(endsAt)} and does not renew. After that, all of your deployments stay live and become read-only. Until then, you can undo this in Account.`}
        confirmLabel="Cancel plan"
        busyLabel="Cancelling…"
        cancelLabel="Keep the plan"
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      />
    </div>
  );
}
