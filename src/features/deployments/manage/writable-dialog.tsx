import { useEffect, useState } from 'react';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { Allowance } from '../../../../routers/schemas/subscription.ts';
import { errorToast } from '../../../api/errors.ts';
import { shownFailure } from '../../../api/shown-failure.ts';
import { trpc } from '../../../api/trpc.ts';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { FailedState } from '../../../components/page/failed-state.tsx';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { deploymentLabel } from '../../../lib/deployment-label.ts';
import { isSameChoice } from '../../../lib/is-same-choice.ts';

/** Asks which deployments can be changed from now on; the others stay live and are read-only. */
export function WritableDialog({ allowance, onClose }: { allowance: Allowance; onClose: () => void }) {
  const limit = allowance.deploymentLimit ?? 0;
  const { list, deployments, isWhole } = useAllDeployments();
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const offered = deployments.filter(({ platform, state }) => state !== 'deleting' && !PLATFORMS[platform].isSimulated);
  const present = offered.map(({ id }) => id).filter((id) => allowance.writableIds?.includes(id));
  const ids = chosen ?? present;
  const choose = trpc.subscription.chooseWritable.useMutation({
    onSuccess() {
      onClose();
      showToast({ title: 'Deployments chosen', description: 'The others stay live and are read-only.' });
    },
    onError: (error) => showToast(errorToast('Your choice was not saved', error)),
  });
  return (
    <FormDialog
      title={
        limit === 1 ? 'Choose which deployment you can change' : `Choose which ${limit} deployments you can change`
      }
      description="You can choose once in each month of your plan. The others stay live and are read-only."
      submitLabel="Save the choice"
      busyLabel="Saving…"
      isBusy={choose.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        // Confirming the present choice does not use up the choice of the month.
        if (isSameChoice(ids, present)) onClose();
        // A page that is not loaded yet may contain chosen ones.
        else if (isWhole && ids.length > 0) choose.mutate({ deploymentIds: [...ids] });
      }}
      onClose={onClose}
    >
      {!isWhole && list.error === null && <SkeletonRows rows={3} />}
      <FailedState failure={shownFailure('The deployments could not be loaded', list.error)} question={list} />
      {offered.map(({ id, name, slug, url }) => (
        <Checkbox
          key={id}
          label={deploymentLabel({ name, slug, url })}
          isChecked={ids.includes(id)}
          // With room for one, a second choice replaces the first.
          isDisabled={!ids.includes(id) && limit > 1 && ids.length >= limit}
          onChange={(isChecked) =>
            setChosen(isChecked ? [...(limit > 1 ? ids : []), id] : ids.filter((one) => one !== id))
          }
        />
      ))}
      <p className="text-sm text-ink-muted">{`${ids.length} of ${formatCount(limit, 'deployment')} chosen.`}</p>
    </FormDialog>
  );
}

/** The most that the server returns at once. */
const PAGE = 50;

/** Returns all deployments of the account, page by page: a missing one could not be chosen. */
function useAllDeployments() {
  const list = trpc.deployments.list.useInfiniteQuery(
    { limit: PAGE },
    { getNextPageParam: ({ nextCursor }) => nextCursor },
  );
  const { hasNextPage, isFetching, error, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  const deployments = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return { list, deployments, isWhole: list.isSuccess && !hasNextPage };
}
