import { Link } from 'wouter';
import { Table, TableCell, TableRow } from '../../components/lists/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration } from '../../lib/format.ts';
import { href } from '../../lib/paths/paths.ts';
import type { DeploymentStatistics, Outcome } from './release-statistics.ts';
import { inOneLine } from './visit-labels.ts';

/** Shows the figures of each deployment, so that they can be compared. */
export function DeploymentOutcomes({ deployments }: { deployments: readonly DeploymentStatistics[] }) {
  return (
    <Table
      label="Releases by deployment"
      columns={[
        { key: 'deployment', title: 'Deployment' },
        { key: 'releases', title: 'Releases', className: 'text-right' },
        { key: 'live', title: 'Went live', className: 'text-right' },
        { key: 'failed', title: 'Failed', className: 'text-right' },
        { key: 'cancelled', title: 'Cancelled', className: 'text-right max-xl:hidden' },
        { key: 'median', title: 'Median time', className: 'text-right' },
        { key: 'latest', title: 'Newest release', className: 'max-xl:hidden' },
      ]}
    >
      {deployments.map((deployment) => (
        <OutcomesRow key={deployment.deploymentId} deployment={deployment} />
      ))}
    </Table>
  );
}

const figure = 'text-right whitespace-nowrap text-ink-muted tabular-nums max-sm:hidden!';

/** A row of two lines on a phone, which opens the deployment. */
function OutcomesRow({ deployment }: { deployment: DeploymentStatistics }) {
  const { deploymentId, deploymentLabel, count, outcomes, typicalMs, latest } = deployment;
  return (
    <TableRow>
      {/* A long name is cut, not the row. */}
      <TableCell className="sm:w-full sm:max-w-0">
        <Link
          to={href.deployment(deploymentId)}
          title={deploymentLabel}
          dir="auto"
          className="block min-w-0 truncate rounded-tight py-0.5 font-medium after:absolute after:inset-0 hover:underline touch:py-1"
        >
          {deploymentLabel}
        </Link>
      </TableCell>
      <TableCell className="text-sm text-ink-muted tabular-nums sm:hidden!">
        {outcomesInOneLine(outcomes, typicalMs === null ? [] : [`median ${formatDuration(typicalMs)}`])}
      </TableCell>
      {[count, outcomes.live, outcomes.failed].map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
        <TableCell key={index} className={figure}>
          {value.toLocaleString('en')}
        </TableCell>
      ))}
      <TableCell className={`${figure} max-xl:hidden!`}>{outcomes.cancelled.toLocaleString('en')}</TableCell>
      <TableCell className={figure}>{typicalMs === null ? 'none yet' : formatDuration(typicalMs)}</TableCell>
      <TableCell className="text-ink-muted max-xl:hidden!">
        <Link
          to={href.release(deploymentId, latest.number)}
          className="relative rounded-tight py-0.5 tabular-nums hover:underline sm:whitespace-nowrap touch:py-2"
        >
          Release {latest.number}, <Time at={latest.createdAt} />
        </Link>
      </TableCell>
    </TableRow>
  );
}

/** Returns the outcomes in one line for a small screen, without zeros. */
export function outcomesInOneLine(
  { live, failed, cancelled, running }: Record<Outcome, number>,
  more: readonly string[],
): string {
  const counts = [
    { count: live, word: 'live' },
    { count: failed, word: 'failed' },
    { count: cancelled, word: 'cancelled' },
    { count: running, word: 'in progress' },
  ].flatMap(({ count, word }) => (count > 0 ? [`${count.toLocaleString('en')} ${word}`] : []));
  return inOneLine([...counts, ...more]);
}
