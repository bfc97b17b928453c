import { useState } from 'react';
import {
  type Deployment,
  slugSchema,
  slugTakenText,
  updateDeploymentInput,
} from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { HELD_SLUG_DAYS } from '../../../../routers/schemas/limits.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { errorToast, fieldErrors } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useDebounced } from '../../../lib/browser/use-debounced.ts';
import { formatAddress } from '../../../lib/format.ts';
import { addressOfSlug } from '../../../lib/sites-address.ts';
import type { DeploymentDialogProps } from './deployment-dialog.tsx';

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
    text: 'The name is what you see in lists. The address stays as it is.',
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
    text: `Links to the old address stop working at once. If it was live, it is reserved for you for ${HELD_SLUG_DAYS} days.`,
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
  const problem = refusal?.value === value ? refusal.message : liveProblem;

  function submit() {
    const input = updateDeploymentInput.safeParse({ deploymentId: deployment.id, [field]: value });
    if (!input.success) setRefusal({ value, message: input.error.issues[0]?.message ?? '' });
    else if (value === deployment[field]) onClose();
    else if (liveProblem === undefined) update.mutate(input.data);
  }

  return (
    <FormDialog
      title={title(deployment.name)}
      description={text}
      submitLabel={act}
      busyLabel={busy}
      isBusy={update.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={label} error={problem} hint={isAddress ? `Live at ${addressOfSlug(value)}` : null}>
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

/** Returns the problem of a typed address: the rule at once, and whether it is taken a moment later. */
function useAddressProblem({ id, slug: own }: Deployment, typed: string): string | undefined {
  const debounced = useDebounced(typed);
  const isWritable = slugSchema.safeParse(debounced).success;
  const check = trpc.deployments.checkAddress.useQuery(
    { deploymentId: id, slug: debounced },
    { enabled: isWritable && debounced !== own },
  );
  if (typed === own) return undefined;
  const broken = slugSchema.safeParse(typed).error?.issues[0]?.message;
  if (broken !== undefined) return broken;
  return check.data?.wanted === typed && check.data.slug === null ? slugTakenText(typed) : undefined;
}

function DeleteDialog({ deployment, onClose, onRemoved }: Omit<DeploymentDialogProps, 'act'>) {
  const domains = trpc.domains.list.useQuery({ deploymentId: deployment.id });
  const isReached = useIsReached(deployment.id);
  const remove = trpc.deployments.remove.useMutation({
    onSuccess: () => {
      onClose();
      onRemoved?.();
      showToast({
        title: 'Deletion started',
        description: `${deployment.name} is being deleted with all its releases.`,
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
          <p>{lossText(deployment, isReached)}</p>
          {domains.data !== undefined && domains.data.items.length > 0 && (
            <>
              <p className="mt-2">These domains stop working and are removed. Move those that you need first:</p>
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

/**
 * Describes what deleting the deployment removes for good, and what stays where. `isReached` returns whether Fairlead
 * can still act for the person at a platform.
 */
export function lossText(
  { releaseCount, currentRelease, destinations }: Pick<Deployment, 'releaseCount' | 'currentRelease' | 'destinations'>,
  isReached: (platform: PlatformId) => boolean,
): string {
  const published = currentRelease === null ? [] : destinations;
  const sites = published.flatMap((one) => siteText(one, isReached) ?? []);
  const releases =
    releaseCount === 0
      ? 'It has no releases yet.'
      : `${formatCount(releaseCount, 'release')} and ${releaseCount === 1 ? 'its' : 'their'} files are lost. Its visit statistics are deleted too.`;
  const isHeld = currentRelease !== null && destinations.some(({ platform }) => PLATFORMS[platform].isServedHere);
  const held = isHeld ? [`We reserve the address for you for ${HELD_SLUG_DAYS} days.`] : [];
  return [...sites, releases, 'This cannot be undone.', ...held].join(' ');
}

/** Describes the effect on the site at one platform; null when nothing was published yet. */
function siteText(
  { platform, url, state, named }: Destination,
  isReachedAt: (platform: PlatformId) => boolean,
): string | null {
  if (url === '' || state === 'idle') return null;
  const { title, isServedHere } = PLATFORMS[platform];
  const address = formatAddress(url);
  if (isServedHere) return `${address} goes offline at once.`;
  if (PLATFORM_CAPABILITIES[platform]?.publish === 'handOff') {
    return `${address} stays until you delete the app at ${title} yourself.`;
  }
  const { furtherConnections = [] } = PLATFORM_CAPABILITIES[platform] ?? {};
  const isReached = isReachedAt(platform);
  const sources = furtherConnections.filter(({ provider }) => !isReached || !isReachedAt(provider));
  const { title: keeper } = PLATFORMS[furtherConnections[0]?.provider ?? platform];
  return [
    isReached
      ? `${address} is taken down at ${title}.`
      : `${address} stays at ${title}, which Fairlead can no longer reach: take it down there.`,
    ...(named !== undefined
      ? [
          `The ${named.what} ${named.name} stays at ${keeper}${isReached && sources.length === 0 ? ', without the site' : ''}.`,
        ]
      : sources.map(({ provider }) => `Its repository stays at ${PLATFORMS[provider].title}.`)),
  ].join(' ');
}

/** Returns whether a connection that the deployment uses at a platform still works; unknown counts as yes. */
function useIsReached(deploymentId: string): (platform: PlatformId) => boolean {
  const { data } = trpc.connections.list.useQuery();
  return (platform) => {
    if (data === undefined || !PLATFORM_CAPABILITIES[platform]?.requires.includes('connection')) return true;
    return data.items.some(
      (one) =>
        one.kind === 'platform' &&
        one.provider === platform &&
        one.state !== 'broken' &&
        one.deployments.some(({ id }) => id === deploymentId),
    );
  };
}
