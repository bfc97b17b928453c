import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { FailedState } from '../../components/page/failed-state.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { LOOKED_AT, ReadOnlyList } from './read-only-list.tsx';

type FewerDeploymentsDialogProps = {
  plan: PaidPlan;
  /** The number of the account's deployments. */
  count: number;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
};

/** Shows before the checkout which deployments have no room on a plan that is smaller than the trial. */
export function FewerDeploymentsDialog({ plan, count, isBusy, onConfirm, onClose }: FewerDeploymentsDialogProps) {
  const list = trpc.deployments.list.useQuery({ limit: LOOKED_AT });
  const { title } = PLANS[plan];
  return (
    <FormDialog
      title={`${title} has room for fewer deployments`}
      description={`${title} starts as soon as it is paid for.`}
      submitLabel="Continue to checkout"
      busyLabel="Opening…"
      isBusy={isBusy}
      isReady={!list.isLoading}
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm();
      }}
      onClose={onClose}
    >
      {list.isPending && <SkeletonRows rows={2} />}
      <FailedState failure={shownFailure('Your deployments could not be loaded', list.error)} question={list} />
      {list.data !== undefined && <ReadOnlyList plan={plan} deployments={list.data.items} count={count} />}
    </FormDialog>
  );
}
