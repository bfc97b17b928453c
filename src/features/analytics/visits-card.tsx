import { Link } from 'wouter';
import { trpc } from '../../api/trpc.ts';
import { Card, CardBody } from '../../components/card.tsx';
import { BarChart } from '../../components/lists/bar-chart.tsx';
import { paths } from '../../lib/paths.ts';
import { ownTimeZone, shortLabel, visitsText } from './visit-labels.ts';

/** Shows the visits of the last week in a small card; nothing when there were none. */
export function VisitsCard() {
  const { data: visits } = trpc.analytics.visits.useQuery({ days: 7, timeZone: ownTimeZone() });
  if (visits === undefined || visits.totals.views === 0) return null;
  const { views, visitors } = visits.totals;
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
          unit="Page views by day, visitors in colour"
          bars={visits.points.map((point) => ({ label: point.label, whole: point.views, part: point.visitors }))}
          formatLabel={shortLabel}
          describe={({ label, whole, part }) => `${label}: ${visitsText(whole, part)}`}
        />
      </CardBody>
    </Card>
  );
}
