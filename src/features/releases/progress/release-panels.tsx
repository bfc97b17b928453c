import { Ban, Check, CircleX, ExternalLink, History, LoaderCircle, type LucideIcon } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { ReleaseDetail } from '../../../../routers/schemas/releases.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { HostName } from '../../../components/host-name.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { formatAddress } from '../../../lib/format.ts';
import { isLocalAddress } from '../../../lib/local-address.ts';
import { href } from '../../../lib/paths/paths.ts';
import { primaryOf } from '../../../lib/primary-destination.ts';
import { goneBackAt, isKeptThere, seenAgainText } from '../acts/going-back.ts';
import { failedStep, servingText } from '../release-labels.ts';
import { SiteThumbnail } from '../site-thumbnail.tsx';
import { runningTitle } from '../step-titles.ts';
import { PlatformLog } from './platform-log.tsx';

export type AddressPanelProps = {
  deploymentId: string;
  deploymentName: string;
  url: string;
  /** The address that visitors use, if that is another. */
  visitUrl?: string | undefined;
  platform: PlatformId;
  /** The running act, until it is live. */
  running?: string | null;
  /** True while an earlier release is live at the address, which can be visited then as well. */
  isOnline?: boolean;
  /** The title once it is live; by default that the deployment is. */
  title?: string | undefined;
  /** Shown beside the way to the site. */
  action?: ReactNode;
};

/**
 * Shows the address large, with the page itself, from the first second on: going live only changes colour and words.
 */
export function AddressPanel(props: AddressPanelProps) {
  const { deploymentId, deploymentName, platform, running = null, isOnline = false, title, action } = props;
  const { visitUrl: url = props.url } = props;
  const isLive = running === null;
  const { title: host, isServedHere, isSimulated } = PLATFORMS[platform];
  return (
    <PanelFrame
      label={isLive ? 'Live' : 'Publishing'}
      platform={platform}
      name={deploymentName}
      url={isLive ? props.url : null}
    >
      <PanelTitle
        icon={isLive ? Check : LoaderCircle}
        look={isLive ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent [&_.lucide]:animate-turn'}
      >
        {running ?? title ?? `${deploymentName} is live`}
      </PanelTitle>
      <p className="flex min-h-9 max-w-full min-w-0 items-center gap-1.5 text-xl touch:min-h-11">
        {url === '' ? (
          <span className="text-base text-ink-muted">The address comes from {host}</span>
        ) : (
          <>
            <HostName name={formatAddress(url)} fit="wrap" className="text-lg! sm:text-xl!" />
            <CopyButton text={url} label={isLive ? 'Copy the live address' : 'Copy the address'} />
          </>
        )}
      </p>
      {isServedHere && isLocalAddress(url) && <LocalAddressNote deploymentId={deploymentId} isLive={isLive} />}
      {/* Of what was only simulated nobody answers there. */}
      {isSimulated !== true &&
        (isLive || isOnline ? (
          <div className="flex flex-wrap gap-2">
            <Button variant={isLive ? 'primary' : 'secondary'} asChild>
              <a href={url} target="_blank" rel="noreferrer">
                Visit <ExternalLink />
              </a>
            </Button>
            {action}
          </div>
        ) : (
          <Button disabled>
            Visit <ExternalLink />
          </Button>
        ))}
    </PanelFrame>
  );
}

/** Says how others get to see the site; a way off the page is offered once nothing is being sent. */
function LocalAddressNote({ deploymentId, isLive }: { deploymentId: string; isLive: boolean }) {
  return (
    <p className="text-sm text-ink-muted">
      Only this computer can open this address. To show the site to others,{' '}
      {isLive ? (
        <Link
          to={`${href.deployment(deploymentId)}?tab=settings#platforms`}
          className="rounded-tight text-accent underline"
        >
          publish it on a hosting platform
        </Link>
      ) : (
        'publish it on a hosting platform'
      )}
      .
    </p>
  );
}

type ActPanelProps = { release: ReleaseDetail; action: ReactNode };

/** Shows the cause in one sentence, the remedy, the raw answer behind a toggle, and the release that is still live. */
export function FailedPanel({ release, action }: ActPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const rawId = useId();
  const { number, deploymentName, platform, error, servingNumber } = release;
  const primary = primaryOf(release);
  const step = failedStep(release.steps);
  const raw = error?.raw ?? null;
  return (
    <PanelFrame label="Failed" platform={platform} name={deploymentName}>
      <PanelTitle icon={CircleX} look="bg-bad-soft text-bad">
        Release {number} failed{step === null ? '' : ` while ${runningTitle(step).toLowerCase()}`}
      </PanelTitle>
      <div className="flex flex-col gap-1">
        <p className="wrap-anywhere">
          <LinkedText text={error?.message ?? 'It failed without giving a reason.'} />
        </p>
        {error?.hint && (
          <p className="text-ink-muted">
            <LinkedText text={error.hint} />
          </p>
        )}
        <p className="text-ink-muted">{servingText(servingNumber)}</p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {action}
        {raw !== null && (
          <Button variant="quiet" aria-expanded={isOpen} aria-controls={rawId} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide raw answer' : 'Show raw answer'}
          </Button>
        )}
        {primary !== undefined && <PlatformLog releaseId={release.id} destination={primary} />}
      </div>
      {raw !== null && isOpen && (
        <pre
          id={rawId}
          className="max-h-60 w-full overflow-auto rounded-control bg-surface-sunken p-3 font-mono text-xs whitespace-pre-wrap text-ink-muted wrap-anywhere"
        >
          {raw}
        </pre>
      )}
    </PanelFrame>
  );
}

export function CancelledPanel({ release, action }: ActPanelProps) {
  return (
    <PanelFrame label="Cancelled" platform={release.platform} name={release.deploymentName}>
      <PanelTitle icon={Ban} look="bg-unknown-soft text-unknown">
        Release {release.number} was cancelled
      </PanelTitle>
      <p className="text-ink-muted">{servingText(release.servingNumber)}</p>
      <div className="flex flex-wrap gap-2">{action}</div>
    </PanelFrame>
  );
}

/** Shows that another release serves; this one can be brought back without a new upload. */
export function SupersededPanel({ release, action }: ActPanelProps) {
  const platform = goneBackAt(release);
  return (
    <Card aria-label="Replaced" className="mb-6 p-4 sm:p-5">
      <PanelTitle icon={History} look="bg-unknown-soft text-unknown">
        Another release is live
      </PanelTitle>
      <div className="mt-3 flex flex-col gap-1 text-ink-muted">
        {release.error && (
          <p className="text-ink wrap-anywhere">
            <LinkedText text={release.error.message} />
          </p>
        )}
        <p>
          {release.servingNumber === null ? '' : `Release ${release.servingNumber} is live instead. `}
          {platform === null
            ? `This one is kept, and can go live again ${seenAgainText(release, isKeptThere(release))}.`
            : `This one is kept here. To roll back, go to ${platform}: bring an earlier version back there, or download this one and publish its files again.`}
        </p>
      </div>
      <div className="mt-4">{action}</div>
    </Card>
  );
}

export type PanelFrameProps = {
  label: string;
  platform: PlatformId;
  /** The deployment's name. */
  name: string;
  /** The address of the picture; null while there is nothing to see. */
  url?: string | null;
  children: ReactNode;
};

/**
 * Holds what is said of a release beside its picture, about as tall in each state: nothing below it moves far. A
 * telephone has no room for the picture, which would push the steps below the fold.
 */
export function PanelFrame({ label, platform, name, url = null, children }: PanelFrameProps) {
  return (
    <Card aria-label={label} className="mb-4 overflow-hidden max-sm:min-h-60 sm:mb-6">
      <div className="grid gap-5 p-4 max-sm:*:last:hidden sm:grid-cols-[minmax(0,1fr)_260px] sm:p-5">
        <div className="flex min-w-0 flex-col items-start gap-2 sm:gap-4">{children}</div>
        <SiteThumbnail platform={platform} url={url} name={name} />
      </div>
    </Card>
  );
}

type PanelTitleProps = { icon: LucideIcon; look: string; children: ReactNode };

export function PanelTitle({ icon: Icon, look, children }: PanelTitleProps) {
  return (
    <h2 className="flex items-center gap-3 text-lg font-semibold outline-none max-sm:min-h-12">
      <span className={classNames('flex size-7 shrink-0 items-center justify-center rounded-full', look)}>
        <Icon />
      </span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </h2>
  );
}
