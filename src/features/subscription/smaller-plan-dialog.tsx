import { useState } from 'react';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { ChoiceList } from '../../components/fields/choice-list.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { formatDate } from '../../lib/format.ts';
import { priceOf } from '../../lib/prices.ts';
import { renewalOf, smallerPlans } from './plan-end.ts';
import { LOOKED_AT, ReadOnlyList } from './read-only-list.tsx';

type SmallerPlanDialogProps = {
  subscription: Subscription;
  /** The preselected plan. */
  first?: PaidPlan;
  onClose: () => void;
};

/** Asks for the plan after this period, and shows beforehand which deployments have no room on it. */
export function SmallerPlanDialog({ subscription, first, onClose }: SmallerPlanDialogProps) {
  const { plan, nextPlan } = subscription;
  const choices = smallerPlans(plan);
  const [chosen, choose] = useState<PaidPlan | undefined>(first ?? nextPlan ?? choices[0]);
  const deployments = trpc.deployments.list.useQuery({ limit: LOOKED_AT });
  const allowance = trpc.subscription.allowance.useQuery();
  const end = formatDate(renewalOf(subscription));
  const change = trpc.subscription.change.useMutation({
    onSuccess({ nextPlan: next }) {
      onClose();
      const title = next === null ? '' : PLANS[next].title;
      showToast({ title: `${title} chosen`, description: `It begins on ${end}. Until then nothing changes.` });
    },
    onError: (error) => showToast(errorToast('The plan was not changed', error)),
  });
  if (chosen === undefined) return null;
  return (
    <FormDialog
      title="Choose a smaller plan"
      description={`${PLANS[plan].title} stays yours until ${end}. The smaller plan begins then.`}
      submitLabel={`Choose ${PLANS[chosen].title}`}
      busyLabel="Choosing…"
      isBusy={change.isPending}
      isReady={!deployments.isLoading && !allowance.isLoading}
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ plan: chosen });
      }}
      onClose={onClose}
    >
      <ChoiceList
        label="Plan"
        value={chosen}
        onChange={choose}
        choices={choices.map((value) => ({ value, title: PLANS[value].title, description: describe(value) }))}
      />
      {deployments.data !== undefined && allowance.data !== undefined && (
        <ReadOnlyList plan={chosen} deployments={deployments.data.items} count={allowance.data.deploymentCount} />
      )}
    </FormDialog>
  );
}

function describe(plan: PaidPlan): string {
  const { deployments } = PLANS[plan];
  const { amount, period } = priceOf(plan);
  const price = `${amount} ${period}`;
  return deployments === null ? price : `${price}, ${formatCount(deployments, 'deployment')}`;
}
