import { Link } from 'wouter';
import { Table, TableCell, TableRow } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration } from '../../lib/format.ts';
import { href } from '../../lib/paths.ts';
import type { DeploymentStatistics } from './release-statistics.ts';

/** Shows the figures of each deployment, so that they can be compared. */
export function DeploymentOutcomes({ deployments }: { deployments: readonly DeploymentStatistics[] }) {
  return (
    <Table
      label="Releases by deployment"
      columns={[
        { key: 'deployment', title: 'Deployment', className: 'sm:pl-5' },
        { key: 'releases', title: 'Releases', className: 'text-right' },
        { key: 'live', title: 'Went live', className: 'text-right' },
        { key: 'failed', title: 'Failed', className: 'text-right' },
        { key: 'cancelled', title: 'Cancelled', className: 'text-right max-xl:hidden' },
        { key: 'typical', title: 'Typical time', className: 'text-right' },
        { key: 'latest', title: 'Last release', className: 'max-md:hidden sm:pr-5' },
      ]}
    >
      {deployments.map(({ deploymentId, deploymentLabel, count, outcomes, typicalMs, latest }) => (
        <TableRow key={deploymentId}>
          <TableCell className="sm:pl-5">
            <Link
              to={href.deployment(deploymentId)}
              className="min-w-0 rounded-tight py-0.5 font-medium wrap-anywhere hover:underline touch:py-2"
            >
              {deploymentLabel}
            </Link>
          </TableCell>
          <FigureCell label="Releases">{count}</FigureCell>
          <FigureCell label="Went live">{outcomes.live}</FigureCell>
          <FigureCell label="Failed">{outcomes.failed}</FigureCell>
          <FigureCell label="Cancelled" className="max-xl:hidden!">
            {outcomes.cancelled}
          </FigureCell>
          <FigureCell label="Typical time">{typicalMs === null ? 'none yet' : formatDuration(typicalMs)}</FigureCell>
          <TableCell label="Last release" className="text-ink-muted sm:pr-5 sm:max-md:hidden!">
            <Link
              to={href.release(deploymentId, latest.number)}
              className="rounded-tight py-0.5 tabular-nums hover:underline sm:whitespace-nowrap touch:py-2"
            >
              Release {latest.number}, <Time at={latest.createdAt} />
            </Link>
          </TableCell>
        </TableRow>
      ))}
    </Table>
  );
}

type FigureCellProps = { label: string; children: number | string; className?: string };

function FigureCell({ label, children, className = '' }: FigureCellProps) {
  return (
    <TableCell label={label} className={`text-ink-muted tabular-nums sm:text-right sm:whitespace-nowrap ${className}`}>
      {typeof children === 'number' ? children.toLocaleString('en') : children}
    </TableCell>
  );
}
