import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { HostName } from '../../../components/host-name.tsx';
import { PlatformsLabel } from '../../../components/platforms-label.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/skeleton.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { Table, TableCell, TableRow } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { formatAddress } from '../../../lib/format.ts';
import { href } from '../../../lib/paths.ts';
import { deploymentDisplayState } from '../display-state.ts';
import { DeploymentMenu } from './deployment-menu.tsx';

export type DeploymentListProps = {
  deployments: readonly Deployment[];
  isReadOnly: (id: string) => boolean;
  /** Stands beside each name: the badge of its owner. */
  badge?: ReactNode;
};

/** Deployments as a table; under 640 px as rows of cards. */
export function DeploymentTable({ deployments, isReadOnly, badge }: DeploymentListProps) {
  return (
    <Table
      label="Deployments"
      columns={[
        { key: 'name', title: 'Name' },
        { key: 'state', title: 'State' },
        { key: 'address', title: 'Address' },
        { key: 'platform', title: 'Platform', className: 'max-xl:hidden' },
        { key: 'release', title: 'Last release', className: 'max-md:hidden' },
        { key: 'actions', title: '', className: 'w-16' },
      ]}
    >
      {deployments.map((deployment) => (
        <TableRow key={deployment.id}>
          {/* Wide enough for most, and never wider for a long one: that is cut, not the row. */}
          <TableCell className="max-sm:pr-12 sm:w-[30%] sm:max-w-0">
            <Name deployment={deployment} />
          </TableCell>
          <TableCell className="whitespace-nowrap">
            <State deployment={deployment} isReadOnly={isReadOnly(deployment.id)} badge={badge} />
          </TableCell>
          <TableCell className="sm:w-[38%] sm:max-w-0">
            <Address deployment={deployment} />
          </TableCell>
          <TableCell className="whitespace-nowrap text-ink-muted max-xl:hidden!">
            <PlatformsLabel {...deployment} />
          </TableCell>
          <TableCell className="whitespace-nowrap text-ink-muted max-md:hidden!">
            <LastRelease deployment={deployment} />
          </TableCell>
          <TableCell isCorner className="[&>*]:relative">
            <DeploymentMenu deployment={deployment} isReadOnly={isReadOnly(deployment.id)} />
          </TableCell>
        </TableRow>
      ))}
    </Table>
  );
}

/** `below`: a further line of a deployment. */
type DeploymentRowsProps = DeploymentListProps & { below?: (deployment: Deployment) => ReactNode };

/** Lists deployments in the narrower card of the dashboard. */
export function DeploymentRows({ deployments, isReadOnly, badge, below }: DeploymentRowsProps) {
  return (
    <ul className="divide-y divide-line">
      {deployments.map((deployment) => (
        <li key={deployment.id} className="relative flex items-center gap-4 px-4 py-3.5 sm:px-5">
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
          <span className="shrink-0 text-sm text-ink-muted max-lg:hidden">
            <PlatformsLabel {...deployment} />
          </span>
          <span className="w-28 shrink-0 text-right text-sm text-ink-muted max-sm:hidden">
            <Time at={deployment.latestRelease?.createdAt ?? deployment.updatedAt} />
          </span>
          <span className="relative">
            <DeploymentMenu deployment={deployment} isReadOnly={isReadOnly(deployment.id)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

type PartProps = { deployment: Deployment };

/** In one line, whole in the tooltip. The row around it opens the same. */
function Name({ deployment: { id, name } }: PartProps) {
  return (
    <Link
      to={href.deployment(id)}
      title={name}
      className="-my-0.5 block min-w-0 truncate rounded-tight py-0.5 font-medium after:absolute after:inset-0 hover:underline touch:my-0 touch:py-1"
    >
      <bdi>{name}</bdi>
    </Link>
  );
}

function State({ deployment, isReadOnly, badge }: PartProps & { isReadOnly: boolean; badge: ReactNode }) {
  return (
    <span className="flex shrink-0 items-center gap-2">
      <StateBadge state={deploymentDisplayState(deployment, isReadOnly)} />
      {badge}
    </span>
  );
}

function Address({ deployment }: PartProps) {
  if (deployment.url === '') return <span className="text-ink-muted">No address yet</span>;
  const shown = formatAddress(deployment.url);
  if (deployment.currentRelease === null || deployment.state === 'deleting') {
    return <HostName name={shown} className="text-ink-muted" />;
  }
  return (
    <a
      href={deployment.url}
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

function LastRelease({ deployment }: PartProps) {
  const { latestRelease } = deployment;
  if (latestRelease === null) return <>none yet</>;
  return (
    <span className="tabular-nums">
      Release {latestRelease.number}, <Time at={latestRelease.createdAt} />
    </span>
  );
}

export function DeploymentTableSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <SkeletonGroup label="Loading the deployments" className="divide-y divide-line">
      <div className="h-10 max-sm:hidden" />
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move
        <div key={index} className="flex h-12 items-center justify-between gap-6 px-4 max-sm:h-18">
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-48 max-sm:hidden" />
          <Skeleton className="h-4 w-24 max-sm:hidden" />
          <Skeleton className="h-4 w-24 max-sm:hidden" />
        </div>
      ))}
    </SkeletonGroup>
  );
}
