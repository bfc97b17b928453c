import { useState } from 'react';
import type { VisitPoint, Visits } from '../../../routers/schemas/analytics.ts';
import { Button } from '../../components/button.tsx';
import { type Bar, BarChart } from '../../components/lists/bar-chart.tsx';
import { Table, TableCell, TableRow } from '../../components/lists/table.tsx';
import { formatSize } from '../../lib/format.ts';
import { countsLine, shortLabel, visitsText } from './visit-labels.ts';

/** Shows page views and visitors over time, with the figures behind the bars as a table. */
export function VisitChart({ visits }: { visits: Visits }) {
  const [isTable, setIsTable] = useState(false);
  const bars = visits.points.map(({ label, views, visitors }) => ({ label, whole: views, part: visitors }));
  return (
    <div className="flex flex-col gap-4">
      <BarChart
        label={`Page views and visitors by ${visits.step}`}
        unit={`Page views by ${visits.step}`}
        bars={bars}
        formatLabel={shortLabel}
        describe={describe}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-muted">
          <LegendEntry look="bg-line-control" name="Page views" />
          <LegendEntry look="bg-accent" name="Visitors" />
        </ul>
        <Button size="sm" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Hide the table' : 'Show as a table'}
        </Button>
      </div>
      {isTable && <VisitTable points={visits.points} step={visits.step} />}
    </div>
  );
}

function describe({ label, whole, part }: Bar): string {
  return `${label}: ${visitsText(whole, part)}`;
}

function LegendEntry({ look, name }: { look: string; name: string }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2.5 rounded-tight ${look}`} />
      {name}
    </li>
  );
}

/** Lists the newest first, without times that had no requests; on a small screen each is two lines. */
function VisitTable({ points, step }: { points: readonly VisitPoint[]; step: Visits['step'] }) {
  const shown = points.filter(({ requests }) => requests > 0).reverse();
  return (
    <div className="-mx-4 border-t border-line sm:-mx-5">
      <Table
        label={`Visits by ${step}`}
        columns={[
          { key: 'label', title: step === 'day' ? 'Day' : 'Hour' },
          ...['Page views', 'Visitors', 'Requests', 'By bots', 'Bandwidth'].map((title) => ({
            key: title,
            title,
            className: 'text-right',
          })),
        ]}
      >
        {shown.map((point) => (
          <TableRow key={point.label}>
            <TableCell className="tabular-nums">{point.label}</TableCell>
            <TableCell className="text-sm text-ink-muted tabular-nums sm:hidden!">{countsLine(point)}</TableCell>
            {[point.views, point.visitors, point.requests, point.bots].map((count, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
              <TableCell key={index} className="text-right tabular-nums max-sm:hidden!">
                {count.toLocaleString('en')}
              </TableCell>
            ))}
            <TableCell className="text-right whitespace-nowrap tabular-nums max-sm:hidden!">
              {formatSize(point.bytes)}
            </TableCell>
          </TableRow>
        ))}
      </Table>
    </div>
  );
}
