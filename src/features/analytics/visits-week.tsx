import { Link } from 'wouter';
import type { Visits } from '../../../routers/schemas/analytics.ts';
import { Card, CardBody } from '../../components/card.tsx';
import { BarChart } from '../../components/lists/bar-chart.tsx';
import { paths } from '../../lib/paths/paths.ts';
import { shortLabel, visitsText } from './visit-labels.ts';

export type VisitsWeekProps = { visits: Visits };

/** Shows the visits of a week in a small card. */
export function VisitsWeek({ visits: { totals, points } }: VisitsWeekProps) {
  const { views, visitors } = totals;
  return (
    <Card className="animate-appear">
      <CardBody>
        <h2 className="mb-3 font-semibold">
          <Link to={paths.analytics} className="rounded-tight hover:underline">
            Visits, last 7 days
          </Link>
        </h2>
        <p className="mb-3 text-sm text-ink-muted tabular-nums">{visitsText(views, visitors)}</p>
        <BarChart
          label="Page views and visitors of the last 7 days"
          unit="Page views by day, coloured part: visitors"
          bars={points.map((point) => ({ label: point.label, whole: point.views, part: point.visitors }))}
          formatLabel={shortLabel}
          describe={({ label, whole, part }) => `${label}: ${visitsText(whole, part)}`}
        />
      </CardBody>
    </Card>
  );
}
