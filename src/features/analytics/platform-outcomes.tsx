import type { ReleaseStatistics } from '../../../routers/schemas/analytics.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { Card, CardHeader } from '../../components/card.tsx';
import { Table, TableCell, TableRow } from '../../components/lists/table.tsx';
import { formatDuration, formatSize } from '../../lib/format.ts';
import { outcomesInOneLine } from './deployment-outcomes.tsx';

type Row = ReleaseStatistics['platforms'][number];

/** Shows the releases of a range on each platform; nothing when there were none, which the page says elsewhere. */
export function PlatformOutcomes({ statistics: { platforms, isCut } }: { statistics: ReleaseStatistics }) {
  if (platforms.length === 0) return null;
  return (
    <Card className="overflow-hidden">
      <CardHeader title={isCut ? 'The newest releases by platform' : 'Releases by platform'} />
      <Table
        label="Releases by platform"
        columns={[
          { key: 'platform', title: 'Platform' },
          ...['Releases', 'Went live', 'Failed', 'Cancelled'].map(rightColumn),
          { key: 'median', title: 'Median time', className: 'text-right' },
          { key: 'p95', title: '95% within', className: 'text-right max-xl:hidden' },
          { key: 'size', title: 'Median size', className: 'text-right max-md:hidden' },
        ]}
      >
        {platforms.map((row) => (
          <PlatformRow key={row.platform} row={row} />
        ))}
      </Table>
    </Card>
  );
}

function rightColumn(title: string) {
  return { key: title, title, className: 'text-right' };
}

function PlatformRow({ row }: { row: Row }) {
  const { platform, releases, live, failed, cancelled, medianMs, p95Ms, medianBytes } = row;
  const figure = 'text-right whitespace-nowrap text-ink-muted tabular-nums max-sm:hidden!';
  return (
    <TableRow>
      <TableCell className="font-medium">{PLATFORMS[platform].title}</TableCell>
      <TableCell className="text-sm text-ink-muted tabular-nums sm:hidden!">
        {outcomesInOneLine(row, [
          `median ${medianMs === null ? '' : `${formatDuration(medianMs)} and `}${formatSize(medianBytes)}`,
        ])}
      </TableCell>
      {[releases, live, failed, cancelled].map((count, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
        <TableCell key={index} className={figure}>
          {count.toLocaleString('en')}
        </TableCell>
      ))}
      <TableCell className={figure}>{shownTime(medianMs)}</TableCell>
      <TableCell className={`${figure} max-xl:hidden!`}>{shownTime(p95Ms)}</TableCell>
      <TableCell className={`${figure} max-md:hidden!`}>{formatSize(medianBytes)}</TableCell>
    </TableRow>
  );
}

function shownTime(ms: number | null): string {
  return ms === null ? 'none yet' : formatDuration(ms);
}
