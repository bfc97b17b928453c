import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import { HOSTING_PLATFORMS, type PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { PLATFORM_SETUPS } from '../../../../routers/schemas/platforms/setups.ts';
import { applyFieldErrors, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import { type Choice, ChoiceList } from '../../../components/fields/choice-list.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { PlatformMark } from '../../../components/states/platform-mark.tsx';
import { formatAddress } from '../../../lib/format.ts';
import { siteEnding, siteName } from '../../../lib/site-ending.ts';
import { ConnectionChoice } from '../create/connection-choice.tsx';
import { Consents } from '../create/consents.tsx';
import {
  type DestinationFields,
  destinationOf,
  useLacksAccount,
  useMissingChoice,
} from '../create/destination-fields.ts';
import type { DestinationAct } from './destination-list.tsx';
import { useIsReached } from './site-loss.ts';

export type DestinationDialogsProps = {
  deployment: Deployment;
  asked: DestinationAct;
  onAsk: (act: DestinationAct) => void;
  onClose: () => void;
};

/** Asks before a platform is added, becomes the primary one, or is removed. */
export function DestinationDialogs({ deployment, asked, onAsk, onClose }: DestinationDialogsProps) {
  switch (asked.act) {
    case 'add':
      return <AddDialog deployment={deployment} isMove={asked.isMove} onClose={onClose} />;
    case 'move':
      return (
        <MoveDialog
          deployment={deployment}
          destination={asked.destination}
          onClose={onClose}
          onMoved={() => onAsk({ act: 'moved', destination: asked.from })}
        />
      );
    default:
      return (
        <RemoveDialog
          deployment={deployment}
          destination={asked.destination}
          isMoved={asked.act === 'moved'}
          onClose={onClose}
        />
      );
  }
}

type DialogProps = { deployment: Deployment; onClose: () => void };

const ADD_TEXTS = {
  title: 'Add a platform',
  description:
    'The files that are live are published there as well, and every release from then on. Each platform has an address of its own.',
  submitLabel: 'Add and publish',
};
const MOVE_TEXTS = {
  title: 'Move to another platform',
  description:
    'What is live is published on the new platform first. Once it is live there as well, make that platform the primary one and remove the old one.',
  submitLabel: 'Publish there',
};

function AddDialog({ deployment, isMove, onClose }: DialogProps & { isMove: boolean }) {
  const choices = platformsFor(deployment);
  const form = useForm<DestinationFields>({ defaultValues: { platform: choices[0] ?? 'built-in', options: {} } });
  const { watch, setValue, setError } = form;
  const [platform, connectionId, options] = watch(['platform', 'connectionId', 'options']);
  const [isRefused, setRefused] = useState(false);
  const missing = useMissingChoice({ platform, connectionId, options });
  const lacksAccount = useLacksAccount({ platform, connectionId, options });
  const handedOff = HOSTING_PLATFORMS.find((id) => id === platform && PLATFORM_CAPABILITIES[id]?.publish === 'handOff');
  const add = trpc.deployments.addDestination.useMutation({
    onSuccess: () => {
      onClose();
      const { title } = PLATFORMS[platform];
      const next = deployment.currentRelease === null ? 'first' : 'live';
      showToast({ title: `${title} added`, description: `The ${next} release goes there as well.` });
    },
    onError: (error) => {
      if (!applyFieldErrors(error, ['connectionId', 'options'], setError))
        showToast(errorToast('Could not add the platform', error));
    },
  });
  return (
    <FormDialog
      {...(isMove ? MOVE_TEXTS : ADD_TEXTS)}
      busyLabel="Adding…"
      isBusy={add.isPending}
      isReady={!lacksAccount}
      onClose={onClose}
      onSubmit={form.handleSubmit((input) => {
        setRefused(missing !== null);
        if (missing === null) add.mutate({ deploymentId: deployment.id, ...destinationOf(input), isMove });
      })}
    >
      <FormProvider {...form}>
        <ChoiceList
          label="Platform"
          isPaired
          value={platform}
          onChange={(next) => {
            setValue('platform', next);
            setValue('connectionId', undefined);
            setValue('options', {});
            setRefused(false);
          }}
          choices={choices.map(choiceOf)}
        />
        <ConnectionChoice />
        {handedOff !== undefined && <p>{PLATFORM_SETUPS[handedOff].way}</p>}
        <Consents />
        {isRefused && missing !== null && (
          <p role="alert" className="text-sm text-bad">
            {missing}
          </p>
        )}
      </FormProvider>
    </FormDialog>
  );
}

function choiceOf(value: PlatformId): Choice<PlatformId> {
  return { value, title: PLATFORMS[value].title, icon: <PlatformMark platform={value} /> };
}

/**
 * Returns the platforms to add. A platform without accounts is only one place; at the others a second account is
 * another place.
 */
function platformsFor({ destinations }: Deployment): PlatformId[] {
  const all: PlatformId[] = [...HOSTING_PLATFORMS, 'built-in'];
  const taken = new Set(destinations.map(({ platform }) => platform));
  const isOpen = (id: PlatformId) => PLATFORM_CAPABILITIES[id]?.requires.includes('connection') || !taken.has(id);
  return all.filter(isOpen).sort((a, b) => Number(taken.has(a)) - Number(taken.has(b)));
}

type OfDestinationProps = DialogProps & { destination: Destination };

function MoveDialog({ deployment, destination, onClose, onMoved }: OfDestinationProps & { onMoved: () => void }) {
  const { title } = PLATFORMS[destination.platform];
  const move = trpc.deployments.makePrimary.useMutation({
    onSuccess: () => {
      showToast({
        title: `${title} is the primary platform`,
        description: `${deployment.name} is at ${formatAddress(destination.url)} now.`,
      });
      onMoved();
    },
    onError: (error) => {
      onClose();
      showToast(errorToast('Could not change the primary platform', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Make ${title} the primary platform?`}
      description={
        <p>
          The address of {deployment.name} becomes <Address>{formatAddress(destination.url)}</Address>, where the site
          is live already. From then on a release counts as live as soon as it is live on {title}. The other platform
          stays until you remove it.
        </p>
      }
      variant="primary"
      confirmLabel="Make primary"
      busyLabel="Switching…"
      isBusy={move.isPending}
      onConfirm={() => move.mutate({ deploymentId: deployment.id, destinationId: destination.id })}
    />
  );
}

/** Asks about removing a platform. After a move it is an offer: everything is live elsewhere by then. */
function RemoveDialog({ deployment, destination, isMoved, onClose }: OfDestinationProps & { isMoved: boolean }) {
  const { title } = PLATFORMS[destination.platform];
  const { loss, isTheirs, leaving } = useLoss(deployment, destination);
  const remove = trpc.deployments.removeDestination.useMutation({
    onSuccess: () => {
      onClose();
      const description =
        leaving?.isChosen || isTheirs
          ? `What is published on ${title} stays there.`
          : `${deployment.name} is being removed from ${title}.`;
      showToast({ title: `${title} removed`, description });
    },
    onError: (error) => {
      onClose();
      showToast(errorToast('Could not remove the platform', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      isSuccessor={isMoved}
      title={isMoved ? `Remove the site from ${title} now?` : `Remove ${title}?`}
      description={
        <p>
          {loss}
          {deployment.currentRelease !== null &&
            ` ${deployment.name} stays live on ${PLATFORMS[deployment.platform].title}, with all its releases.`}
        </p>
      }
      confirmLabel="Remove"
      busyLabel="Removing…"
      isBusy={remove.isPending}
      onConfirm={() =>
        remove.mutate({
          deploymentId: deployment.id,
          destinationId: destination.id,
          ...(leaving?.isChosen && { leaveSite: true }),
        })
      }
    >
      {leaving !== null && (
        <Checkbox
          label={`Keep what is published on ${title}, for example when that account can no longer be reached`}
          isChecked={leaving.isChosen}
          onChange={leaving.choose}
        />
      )}
    </ConfirmDialog>
  );
}

/**
 * Returns the effect of removing a platform on the site there, and the choice to leave the site. It is offered where
 * the site could not be removed before, and is the default where the account cannot be reached.
 */
function useLoss({ id }: Deployment, destination: Destination) {
  const { platform, url, state } = destination;
  const isReached = useIsReached(id);
  const [choice, choose] = useState<boolean | null>(null);
  const isTheirs = PLATFORM_CAPABILITIES[platform]?.publish === 'handOff';
  const isAtHand = isReached(platform);
  const mayLeave = !isTheirs && (state === 'failed' || !isAtHand);
  const isChosen = mayLeave && (choice ?? !isAtHand);
  const { title } = PLATFORMS[platform];
  const isLeft = isChosen && url !== '';
  const ending = isLeft ? 'stays as it is and gets no more releases.' : siteEnding(destination, isReached);
  const loss =
    ending === null
      ? `Nothing is published on ${title} yet.`
      : [<Address key="address">{siteName(destination)}</Address>, ` ${ending}`];
  return { loss, isTheirs, leaving: mayLeave ? { isChosen, choose } : null };
}

/** Puts an address on a line of its own before it is broken at a hyphen. */
function Address({ children }: { children: string }) {
  return <span className="inline-block wrap-anywhere text-ink">{children}</span>;
}
