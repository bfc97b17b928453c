import { useState } from 'react';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { isSameChoice } from '../../lib/is-same-choice.ts';
import type { DomainChoiceProps } from './domain-choice.tsx';

/** Asks which domains of a deployment can be changed from now on; the others stay live and are read-only. */
export function DomainChoiceDialog({
  deploymentId,
  domains,
  limit,
  onClose,
}: DomainChoiceProps & { onClose: () => void }) {
  const present = domains.filter(({ isOverCap }) => isOverCap !== true).map(({ id }) => id);
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const ids = chosen ?? present;
  const choose = trpc.domains.chooseWritable.useMutation({
    onSuccess() {
      onClose();
      showToast({ title: 'Domains chosen', description: 'The others stay live and are read-only.' });
    },
    onError: (error) => showToast(errorToast('Your choice was not saved', error)),
  });
  return (
    <FormDialog
      title={limit === 1 ? 'Choose which domain you can change' : `Choose which ${limit} domains you can change`}
      description="You can choose once a month. The others stay live and are read-only."
      submitLabel="Save the choice"
      busyLabel="Saving…"
      isBusy={choose.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        // Confirming the present choice does not use up the choice of the month.
        if (isSameChoice(ids, present)) onClose();
        else if (ids.length > 0) choose.mutate({ deploymentId, domainIds: [...ids] });
      }}
      onClose={onClose}
    >
      {domains.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          isChecked={ids.includes(id)}
          // With room for one, a second choice replaces the first.
          isDisabled={!ids.includes(id) && limit > 1 && ids.length >= limit}
          onChange={(isChecked) =>
            setChosen(isChecked ? [...(limit > 1 ? ids : []), id] : ids.filter((one) => one !== id))
          }
        />
      ))}
      <p className="text-sm text-ink-muted">{`${ids.length} of ${formatCount(limit, 'domain')} chosen.`}</p>
    </FormDialog>
  );
}
