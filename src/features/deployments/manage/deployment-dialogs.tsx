import { skipToken } from '@tanstack/react-query';
import { useState } from 'react';
import {
  checkAddressInput,
  type Deployment,
  slugSchema,
  slugTakenText,
  updateDeploymentInput,
} from '../../../../routers/schemas/deployments.ts';
import { HELD_SLUG_DAYS } from '../../../../routers/schemas/limits.ts';
import { errorToast, fieldErrors } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useDebounced } from '../../../lib/browser/use-debounced.ts';
import { addressOfSlug } from '../../../lib/sites-address.ts';
import { useReceiving } from '../../../uploads/receiving-deployments.ts';
import { namesakesText, useNamesakesOf } from '../namesakes.ts';
import type { DeploymentDialogProps } from './deployment-dialog.tsx';
import { lossText, useIsReached } from './site-loss.ts';

export function OpenDialog({ deployment, act, onClose, onRemoved }: DeploymentDialogProps) {
  if (act === 'delete') return <DeleteDialog deployment={deployment} onClose={onClose} onRemoved={onRemoved} />;
  return (
    <ChangeDialog deployment={deployment} field={act === 'rename' ? 'name' : 'slug'} key={act} onClose={onClose} />
  );
}

const LABELS = {
  name: {
    title: (name: string) => `Rename ${name}`,
    label: 'Name',
    act: 'Rename',
    busy: 'Renaming…',
    failed: 'Could not rename',
    text: () => 'The name is what you see in lists. The address stays as it is.',
    done: (before: Deployment, after: Deployment) => ({
      title: 'Renamed',
      description: `${before.name} is now called ${after.name}.`,
    }),
  },
  slug: {
    title: (name: string) => `Change the address of ${name}`,
    label: 'Address',
    act: 'Change address',
    busy: 'Changing…',
    failed: 'Could not change the address',
    text: (isLive: boolean) =>
      `Links to the old address stop working at once.${isLive ? ` We reserve it for you for up to ${HELD_SLUG_DAYS} days.` : ''}`,
    done: (_before: Deployment, after: Deployment) => ({
      title: 'Address changed',
      description: `${after.name} is at ${addressOfSlug(after.slug)} now.`,
    }),
  },
} as const;

type ChangeDialogProps = { deployment: Deployment; field: 'name' | 'slug'; onClose: () => void };

/** Changes one field by the server's own rule. An address is checked while it is typed. */
function ChangeDialog({ deployment, field, onClose }: ChangeDialogProps) {
  const { title, label, act, busy, failed, text, done } = LABELS[field];
  const [value, setValue] = useState(deployment[field]);
  const [refusal, setRefusal] = useState<{ value: string; message: string } | null>(null);
  const update = trpc.deployments.update.useMutation({
    onSuccess: (after) => {
      onClose();
      showToast(done(deployment, after));
    },
    onError: (error) => {
      const ofField = fieldErrors(error)[field];
      if (ofField === undefined) showToast(errorToast(failed, error));
      else setRefusal({ value, message: ofField });
    },
  });
  const isAddress = field === 'slug';
  const liveProblem = useAddressProblem(deployment, isAddress && !update.isPending ? value : deployment.slug);
  const namesakes = useNamesakesOf(value, isAddress)?.filter(({ id }) => id !== deployment.id) ?? [];
  const nameHint = namesakes.length > 0 ? namesakesText(namesakes) : null;
  const problem = refusal?.value === value ? refusal.message : liveProblem;

  function submit() {
    const input = updateDeploymentInput.safeParse({ deploymentId: deployment.id, [field]: value });
    if (!input.success) setRefusal({ value, message: problem ?? input.error.issues[0]?.message ?? '' });
    else if (value === deployment[field]) onClose();
    else if (liveProblem === undefined) update.mutate(input.data);
  }

  return (
    <FormDialog
      title={title(deployment.name)}
      description={text(deployment.currentRelease !== null)}
      submitLabel={act}
      busyLabel={busy}
      isBusy={update.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={label} error={problem} hint={isAddress ? `Live at ${addressOfSlug(value)}` : nameHint}>
        <Input
          value={value}
          onChange={(event) => setValue(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          className={isAddress ? 'font-mono' : undefined}
        />
      </Field>
    </FormDialog>
  );
}

/**
 * Returns the problem of a typed address: the rule at once, and a moment later whether it is taken, and the free one
 * that a new deployment would get instead.
 */
function useAddressProblem({ id, slug: own }: Deployment, typed: string): string | undefined {
  const debounced = useDebounced(typed);
  const isWritable = slugSchema.safeParse(debounced).success;
  const check = trpc.deployments.checkAddress.useQuery(
    { deploymentId: id, slug: debounced },
    { enabled: isWritable && debounced !== own },
  );
  const isTaken = check.data?.wanted === typed && check.data.slug === null;
  const broken = slugSchema.safeParse(typed).error?.issues[0]?.message;
  const problem = broken === undefined ? isTaken && slugTakenText(typed) : `${broken}.`;
  const name = checkAddressInput.safeParse({ name: debounced });
  const near = trpc.deployments.checkAddress.useQuery(name.data ?? skipToken, { enabled: problem !== false });
  if (typed === own || problem === false) return undefined;
  const free = debounced === typed && near.data?.wanted !== own ? near.data?.slug : null;
  return free ? `${problem} Try ${free}.` : problem;
}

function DeleteDialog({ deployment, onClose, onRemoved }: Omit<DeploymentDialogProps, 'act'>) {
  const domains = trpc.domains.list.useQuery({ deploymentId: deployment.id });
  const isReached = useIsReached(deployment.id);
  const isSent = useReceiving().some(({ id }) => id === deployment.id);
  // A list does not know what a failed release has left.
  const { data: whole = deployment } = trpc.deployments.get.useQuery({ deploymentId: deployment.id });
  const remove = trpc.deployments.remove.useMutation({
    onSuccess: () => {
      onClose();
      onRemoved?.();
      showToast({
        title: `${deployment.name} is being deleted`,
        description: 'It disappears from your lists once it is deleted.',
      });
    },
    onError: (error) => {
      onClose();
      showToast(errorToast('Could not delete', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Delete ${deployment.name}?`}
      description={
        <>
          {isSent && <p className="mb-2">Files are being sent to it. Deleting it stops that.</p>}
          <p>{lossText(whole, isReached)}</p>
          {domains.data !== undefined && domains.data.items.length > 0 && (
            <>
              <p className="mt-2">These domains stop working and are removed. First move those that you still need:</p>
              <ul className="mt-2 list-disc pl-5">
                {domains.data.items.map(({ id, name }) => (
                  <li key={id} className="wrap-anywhere">
                    {name}
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      }
      confirmLabel="Delete"
      busyLabel="Deleting…"
      nameToType={deployment.name}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ deploymentId: deployment.id })}
    />
  );
}
