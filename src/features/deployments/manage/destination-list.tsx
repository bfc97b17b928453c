import { ExternalLink, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Tag } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Card, CardHeader } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { HostName } from '../../../components/host-name.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { DestinationBadge } from '../../../components/states/destination-badge.tsx';
import { MendConnection } from '../../../components/states/mend-connection.tsx';
import { PlatformMark } from '../../../components/states/platform-mark.tsx';
import { formatAddress } from '../../../lib/format.ts';
import { href, paths } from '../../../lib/paths/paths.ts';
import { primaryOf } from '../../../lib/primary-destination.ts';
import { waitingNumber } from '../../../lib/waiting.ts';

// With the form of a new destination they would be as large as the rest of the page.
const DestinationDialogs = lazyDialog(async () => (await import('./destination-dialogs.tsx')).DestinationDialogs);

export type DestinationAct =
  | { act: 'add'; isMove: boolean }
  | { act: 'remove' | 'moved'; destination: Destination }
  | { act: 'move'; destination: Destination; from: Destination };

export type DestinationListProps = { deployment: Deployment; isReadOnly: boolean };

/** Lists the destinations of a deployment, each with its state and address; they can be added, moved and removed. */
export function DestinationList({ deployment, isReadOnly }: DestinationListProps) {
  const [asked, ask] = useState<DestinationAct | null>(null);
  const mayChange = !isReadOnly && deployment.state !== 'deleting';
  const primary = primaryOf(deployment);
  return (
    <Card aria-label="Platforms" className="overflow-hidden">
      <CardHeader
        title="Platforms"
        action={mayChange && <AddButton deployment={deployment} onAdd={(isMove) => ask({ act: 'add', isMove })} />}
      />
      <ul className="divide-y divide-line">
        {deployment.destinations.map((destination) => (
          <DestinationRow
            key={destination.id}
            deployment={deployment}
            destination={destination}
            primary={primary}
            mayChange={mayChange}
            onAsk={ask}
          />
        ))}
      </ul>
      {asked !== null && (
        <DestinationDialogs deployment={deployment} asked={asked} onAsk={ask} onClose={() => ask(null)} />
      )}
    </Card>
  );
}

type AddButtonProps = { deployment: Deployment; onAdd: (isMove: boolean) => void };

/** Moves the deployment when the plan allows one platform at a time; during a move it is a link to the plans. */
function AddButton({ deployment, onAdd }: AddButtonProps) {
  const { data: allowance } = trpc.subscription.allowance.useQuery();
  if (allowance === undefined) return null;
  const isMove = !allowance.severalPlatforms;
  if (isMove && deployment.destinations.length > 1) {
    return (
      <Link to={paths.subscriptionPricing} className="text-sm text-ink-muted underline-offset-2 hover:underline">
        Several at once with Pro
      </Link>
    );
  }
  return (
    <Button ref={leadTo} size="sm" disabled={deployment.state === 'deploying'} onClick={() => onAdd(isMove)}>
      {!isMove && <Plus />} {isMove ? 'Move to another platform' : 'Add a platform'}
    </Button>
  );
}

/** Leads to the button from a live site that only this computer can open, once the page has arrived at its top. */
function leadTo(button: HTMLButtonElement | null): void {
  if (location.hash === '#platforms') setTimeout(() => button?.focus());
}

type DestinationRowProps = {
  deployment: Deployment;
  destination: Destination;
  primary: Destination | undefined;
  mayChange: boolean;
  onAsk: (act: DestinationAct) => void;
};

function DestinationRow({ deployment, destination, primary, mayChange, onAsk }: DestinationRowProps) {
  const { platform, state, error } = destination;
  const isPrimary = destination.id === primary?.id;
  const { title } = PLATFORMS[platform];
  const waiting = state === 'waiting' ? waitingNumber(deployment) : null;
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-3 px-4 py-4 sm:px-5">
      <div className="flex min-w-0 flex-1 basis-64 gap-3">
        <PlatformMark platform={platform} className="mt-0.5 size-5" />
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            {title}
            <DestinationBadge state={state} />
            {isPrimary && deployment.destinations.length > 1 && <Tag>Primary</Tag>}
          </h3>
          <Address destination={destination} />
          {waiting !== null && (
            <Link
              to={href.release(deployment.id, waiting)}
              className="mt-0.5 inline-block rounded-tight text-sm text-accent underline touch:py-2"
            >
              Finish at {title}
            </Link>
          )}
          {error !== null && (
            <p className={classNames('mt-1.5 text-sm wrap-anywhere', state === 'waiting' ? 'text-warn' : 'text-bad')}>
              <LinkedText text={`${error.message} ${error.hint ?? ''}`} />
            </p>
          )}
        </div>
      </div>
      {mayChange && !isPrimary && primary !== undefined && (
        <RowActs deployment={deployment} destination={destination} primary={primary} onAsk={onAsk} />
      )}
    </li>
  );
}

function Address({ destination: { url, state } }: { destination: Destination }) {
  if (url === '') {
    const text = state === 'idle' ? 'The address comes with the first release.' : 'No address yet.';
    return <p className="mt-0.5 text-sm text-ink-muted">{text}</p>;
  }
  if (state === 'idle' || state === 'removed') return <HostName name={formatAddress(url)} className="text-ink-muted" />;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="inline-flex max-w-full min-w-0 items-center gap-2 rounded-tight py-0.5 text-ink-muted hover:text-ink hover:underline touch:py-2"
    >
      <HostName name={formatAddress(url)} />
      <ExternalLink className="size-3.5 shrink-0" />
      <span className="sr-only">opens in a new tab</span>
    </a>
  );
}

type RowActsProps = Required<Pick<DestinationRowProps, 'deployment' | 'destination' | 'onAsk'>> & {
  primary: Destination;
};

function RowActs({ deployment, destination, primary, onAsk }: RowActsProps) {
  const { title } = PLATFORMS[destination.platform];
  const isBusy = deployment.state === 'deploying';
  const lost = deployment.lostConnections.find(({ destinationId }) => destinationId === destination.id);
  const retry = trpc.deployments.retryDestination.useMutation({
    onError: (error) => showToast(errorToast('Could not try again', error)),
  });
  if (destination.state === 'removing') return null;
  return (
    <div className="flex flex-wrap gap-2 max-sm:ml-8">
      {lost !== undefined && <MendConnection lost={lost} size="sm" isNamed />}
      {destination.state === 'failed' && (
        <Button
          size="sm"
          disabled={isBusy}
          isBusy={retry.isPending}
          busyLabel="Starting…"
          aria-label={`Try again on ${title}`}
          onClick={() => retry.mutate({ deploymentId: deployment.id, destinationId: destination.id })}
        >
          Try again
        </Button>
      )}
      {destination.state === 'live' && (
        <Button
          size="sm"
          disabled={isBusy}
          aria-label={`Make ${title} the primary platform`}
          onClick={() => onAsk({ act: 'move', destination, from: primary })}
        >
          Make primary
        </Button>
      )}
      <Button
        size="sm"
        disabled={isBusy}
        aria-label={`Remove ${title}`}
        onClick={() => onAsk({ act: 'remove', destination })}
      >
        Remove
      </Button>
    </div>
  );
}
