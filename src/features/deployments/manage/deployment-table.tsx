import { Table, TableCell, TableRow } from '../../../components/lists/table.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/skeleton.tsx';
import { PlatformsLabel } from '../../../components/states/platforms-label.tsx';
import { Time } from '../../../components/time.tsx';
import { DeploymentMenu } from './deployment-menu.tsx';
import { Address, type DeploymentListProps, Name, type PartProps, State } from './deployment-rows.tsx';

/** Lists deployments as a table; under 640 px as rows of cards. */
export function DeploymentTable({ deployments, isReadOnly, badge }: DeploymentListProps) {
  return (
    <Table
      label="Deployments"
      columns={[
        { key: 'name', title: 'Name' },
        { key: 'state', title: 'State' },
        { key: 'address', title: 'Address' },
        { key: 'platform', title: 'Platform', className: 'max-[90rem]:hidden' },
        { key: 'release', title: 'Last activity', className: 'max-xl:hidden' },
        { key: 'actions', title: '', className: 'w-16' },
      ]}
    >
      {deployments.map((deployment) => (
        // Each has two lines on a phone: the name with its state, then the address.
        <TableRow
          key={deployment.id}
          className="max-sm:grid max-sm:grid-cols-[minmax(0,max-content)_1fr] max-sm:items-center max-sm:gap-x-2"
        >
          {/* Wide enough for most, and never wider for a long one: that is cut, not the row. */}
          <TableCell className="sm:w-[44%] sm:max-w-0 xl:w-[34%]">
            <Name deployment={deployment} />
          </TableCell>
          {/* What is said beside a state stands below it: the address needs the room. An icon still fits. */}
          <TableCell className="whitespace-nowrap max-sm:min-w-max max-sm:pr-10 sm:*:flex-wrap md:*:min-w-21 sm:*:gap-y-0.5">
            <State deployment={deployment} isReadOnly={isReadOnly(deployment.id)} badge={badge} />
          </TableCell>
          <TableCell className="max-sm:col-span-2 sm:w-[56%] sm:max-w-0 xl:w-[34%]">
            <Address deployment={deployment} />
          </TableCell>
          {/* Most addresses say it as well, and the names need the room. */}
          <TableCell className="whitespace-nowrap text-ink-muted max-[90rem]:hidden!">
            <PlatformsLabel {...deployment} />
          </TableCell>
          <TableCell className="whitespace-nowrap text-ink-muted max-xl:hidden!">
            <LastActivity deployment={deployment} />
          </TableCell>
          <TableCell isCorner className="[&>*]:relative">
            <DeploymentMenu deployment={deployment} isReadOnly={isReadOnly(deployment.id)} />
          </TableCell>
        </TableRow>
      ))}
    </Table>
  );
}

function LastActivity({ deployment }: PartProps) {
  const { latestRelease } = deployment;
  if (latestRelease === null) return <>none yet</>;
  return (
    <span className="tabular-nums">
      Release {latestRelease.number}
      {latestRelease.state === 'failed' && ' failed'}, <Time at={latestRelease.liveSince ?? latestRelease.createdAt} />
    </span>
  );
}

export function DeploymentTableSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <SkeletonGroup label="Loading the deployments" className="divide-y divide-line">
      <div className="h-10 max-sm:hidden" />
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move
        <div key={index} className="flex h-12 items-center justify-between gap-6 px-4 max-sm:h-24">
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-48 max-sm:hidden" />
          <Skeleton className="h-4 w-24 max-sm:hidden" />
          <Skeleton className="h-4 w-24 max-sm:hidden" />
        </div>
      ))}
    </SkeletonGroup>
  );
}
