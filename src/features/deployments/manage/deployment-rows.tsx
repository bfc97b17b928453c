import { CircleX, ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { HostName } from '../../../components/host-name.tsx';
import { MissingMark } from '../../../components/states/missing-mark.tsx';
import { PlatformsLabel } from '../../../components/states/platforms-label.tsx';
import { StateBadge } from '../../../components/states/state-badge.tsx';
import { formatAddress } from '../../../lib/format.ts';
import { href } from '../../../lib/paths/paths.ts';
import { useDisplayState } from '../display-state.ts';
import { DeploymentMenu } from './deployment-menu.tsx';

export type DeploymentListProps = {
  deployments: readonly Deployment[];
  isReadOnly: (id: string) => boolean;
  /** Shown beside each name: the badge of its owner. */
  badge?: ReactNode;
};

/** `below`: a further line of a deployment. */
type DeploymentRowsProps = DeploymentListProps & { below?: (deployment: Deployment) => ReactNode };

/** Lists deployments in the narrower card of the dashboard. */
export function DeploymentRows({ deployments, isReadOnly, badge, below }: DeploymentRowsProps) {
  return (
    <ul className="divide-y divide-line">
      {deployments.map((deployment) => (
        <li key={deployment.id} className="relative flex items-center gap-2 px-4 py-3.5 sm:gap-4 sm:px-5">
          <div className="min-w-0 grow">
            <div className="flex min-w-0 items-center gap-2">
              <Name deployment={deployment} />
              <State deployment={deployment} isReadOnly={isReadOnly(deployment.id)} badge={badge} />
            </div>
            <div className="mt-1 text-ink-muted">
              <Address deployment={deployment} />
            </div>
            {/* What is pressed itself lies above the link of the row. */}
            <div className="[&_:is(a,button)]:relative">{below?.(deployment)}</div>
          </div>
          {/* Between a telephone and a wide screen the name and the address need their room. */}
          <span className="shrink-0 text-sm text-ink-muted max-xl:hidden">
            <PlatformsLabel {...deployment} />
          </span>
          <span className="relative -mx-1">
            <DeploymentMenu deployment={deployment} isReadOnly={isReadOnly(deployment.id)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

export type PartProps = { deployment: Deployment };

/** Shows the name in one line, whole in the tooltip. The row around it is the same link. */
export function Name({ deployment: { id, name } }: PartProps) {
  return (
    <Link
      to={href.deployment(id)}
      title={name}
      dir="auto"
      className="-my-0.5 block min-w-0 truncate rounded-tight py-0.5 font-medium after:absolute after:inset-0 hover:underline touch:my-0 touch:py-1"
    >
      {name}
    </Link>
  );
}

export function State({ deployment, isReadOnly, badge }: PartProps & { isReadOnly: boolean; badge: ReactNode }) {
  const state = useDisplayState(deployment, isReadOnly);
  const { lostConnections, latestRelease, currentRelease } = deployment;
  const isOnline = state === 'live' || state === 'read-only';
  const trouble = lostConnections[0]?.message ?? (latestRelease?.state === 'failed' && 'Last release failed');
  return (
    <span className="flex shrink-0 items-center gap-2">
      <StateBadge state={state} />
      {isOnline && trouble && (
        // Above the link of the row, which has a tooltip of its own.
        <span title={trouble} className="relative text-bad">
          <CircleX />
          <span className="sr-only">{trouble}</span>
        </span>
      )}
      {isOnline && currentRelease && <MissingMark isNarrow release={currentRelease} {...currentRelease.missing} />}
      {badge}
    </span>
  );
}

export function Address({ deployment }: PartProps) {
  if (deployment.visitUrl === '') return <span className="text-ink-muted">No address yet</span>;
  const shown = formatAddress(deployment.visitUrl);
  if (deployment.currentRelease === null || deployment.state === 'deleting') {
    return <HostName name={shown} className="text-ink-muted" />;
  }
  return (
    <a
      href={deployment.visitUrl}
      target="_blank"
      rel="noreferrer"
      className="relative -my-0.5 inline-flex max-w-full min-w-0 items-center gap-2 rounded-tight py-0.5 hover:underline touch:my-0 touch:py-2"
    >
      <HostName name={shown} />
      <ExternalLink className="size-3.5 shrink-0 text-ink-muted" />
      <span className="sr-only">opens in a new tab</span>
    </a>
  );
}
