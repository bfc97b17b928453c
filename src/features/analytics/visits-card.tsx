import { trpc } from '../../api/trpc.ts';
import { Beside } from '../../components/page/error-boundary.tsx';
import { ownTimeZone } from '../../lib/browser/own-time-zone.ts';
import { lazyComponent } from '../../lib/lazy-component.tsx';
import type { VisitsWeekProps } from './visits-week.tsx';

/** Loaded where there were visits: the chart is for nobody else. */
const visitsWeek = lazyComponent<VisitsWeekProps>(async () => (await import('./visits-week.tsx')).VisitsWeek);

/** Shows the visits of the last week in a small card; nothing when there were none. */
export function VisitsCard() {
  const { data: visits } = trpc.analytics.visits.useQuery({ days: 7, timeZone: ownTimeZone() });
  if (visits === undefined || visits.totals.views === 0) return null;
  return (
    <Beside>
      <visitsWeek.Component visits={visits} />
    </Beside>
  );
}
