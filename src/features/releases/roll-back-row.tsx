import { Link } from 'react-router';
import type { RollBack } from '../../../routers/schemas/releases.ts';
import { TableCell, TableRow } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { ownerLabel } from '../../lib/deployment-label.ts';
import { formatDuration } from '../../lib/format.ts';
import { href } from '../../lib/paths.ts';
import { RollBackBadge } from './roll-back-badge.tsx';

/** A roll back among the releases: who, when, from which to which, and what became of it. */
export function RollBackRow({ rollBack, showsDeployment }: { rollBack: RollBack; showsDeployment: boolean }) {
  const { deploymentId, fromNumber, toNumber, createdBy, createdAt, endedAt } = rollBack;
  return (
    <TableRow>
      <TableCell>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to={href.release(deploymentId, toNumber)}
            className="min-w-0 rounded-tight py-0.5 wrap-anywhere hover:underline touch:py-2"
          >
            {showsDeployment ? `${ownerLabel(rollBack)}, from ` : 'From '}
            release {fromNumber} back to {toNumber}
          </Link>
          <RollBackBadge state={rollBack.state} />
        </span>
      </TableCell>
      <TableCell label="By" className="text-ink-muted md:max-w-48 sm:max-md:hidden!">
        <span className="min-w-0 wrap-anywhere">{createdBy}</span>
      </TableCell>
      <TableCell label="When" className="text-ink-muted">
        <Time at={createdAt} className="sm:whitespace-nowrap" />
      </TableCell>
      <TableCell
        label="Took"
        className="text-ink-muted tabular-nums sm:text-right sm:whitespace-nowrap sm:max-lg:hidden!"
      >
        {endedAt === null ? 'not finished' : formatDuration(endedAt.getTime() - createdAt.getTime())}
      </TableCell>
      <TableCell className="max-lg:hidden!" />
      <TableCell className="max-sm:hidden!" />
      <TableCell className="max-sm:hidden!" />
    </TableRow>
  );
}
