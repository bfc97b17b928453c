import { ChartNoAxesColumn } from 'lucide-react';
import { Link } from 'wouter';
import type { Visits, VisitsInput } from '../../../routers/schemas/analytics.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { classNames } from '../../components/class-names.ts';
import { ListStates } from '../../components/lists/list-states.tsx';
import { Notice } from '../../components/notice.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { paths } from '../../lib/paths/paths.ts';
import { DownloadVisits } from './download-visits.tsx';
import { Ranking } from './ranking.tsx';
import { VisitChart } from './visit-chart.tsx';
import { VisitFigures, VisitsSkeleton } from './visit-figures.tsx';
import { formatReplyTime } from './visit-labels.ts';

/**
 * Shows the visits of sites on the built-in host, as far back as the plan keeps them. Without any the chart's place is
 * as high as with them, since the first may come while somebody reads what is below.
 */
export function VisitsSection({ range }: { range: VisitsInput }) {
  const question = trpc.analytics.visits.useQuery(range, { placeholderData: (before) => before });
  const visits = question.data;
  if (visits?.keptDays === null) return <NotKept />;
  const isEmpty = visits?.totals.requests === 0;
  return (
    <Card className="overflow-hidden" aria-busy={question.isFetching}>
      <CardHeader title="Visits" action={visits && <DownloadVisits range={range} />} />
      <ListStates
        list={question}
        count={visits ? 1 : 0}
        skeleton={<VisitsSkeleton />}
        failure={shownFailure('The visits could not be loaded', question.error)}
        empty={NO_VISITS}
      >
        {visits && (
          <CardBody className="flex flex-col gap-6">
            <VisitFigures totals={visits.totals} />
            <div className="grid *:col-start-1 *:row-start-1">
              <div className={classNames('flex flex-col gap-6', isEmpty && 'invisible')}>
                <VisitChart visits={visits} />
                <p className="text-sm text-ink-muted">
                  Counted on the built-in host, without cookies. Visitors are counted per day (UTC). Times are in{' '}
                  {range.timeZone}.
                </p>
              </div>
              {isEmpty && (
                <EmptyState icon={NO_VISITS.icon} className="self-center">
                  {NO_VISITS.text}
                </EmptyState>
              )}
            </div>
          </CardBody>
        )}
      </ListStates>
    </Card>
  );
}

/** Shows what was visited most, and from where. It grows with each visit, so nothing may stand below it. */
export function VisitRankings({ visits }: { visits: Visits }) {
  if (visits.totals.requests === 0) return null;
  const { pages, otherPages, referrers, otherReferrers, statuses, replyTimes } = visits;
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Ranking
        title="Pages"
        unit="Page views"
        rows={pages.map(({ path, views }) => ({ name: path, count: views }))}
        others={otherPages}
        empty="No page views."
      />
      <Ranking
        title="Referrers"
        unit="Page views"
        rows={referrers.map(({ host, views }) => ({ name: host, count: views }))}
        others={otherReferrers}
        empty="No visits from other sites."
      />
      <Ranking
        title="Status codes"
        unit="Requests"
        rows={statuses
          .map(({ status, requests }) => ({ name: String(status), count: requests }))
          .sort((one, other) => other.count - one.count)}
        empty="No requests."
      />
      <ReplyTimes times={replyTimes} />
    </div>
  );
}

const SHARES = [
  { key: 'p50', name: 'Half of all requests' },
  { key: 'p75', name: '75% of requests' },
  { key: 'p95', name: '95% of requests' },
  { key: 'p99', name: '99% of requests' },
] as const;

function ReplyTimes({ times }: { times: Visits['replyTimes'] }) {
  return (
    <Card className="min-w-0 overflow-hidden">
      <CardHeader title="Response times" action={<span className="text-xs text-ink-muted">Within</span>} />
      <dl className="flex flex-col gap-2.5 px-4 py-4 text-sm sm:px-5">
        {SHARES.map(({ key, name }) => (
          <div key={key} className="flex items-baseline justify-between gap-4">
            <dt className="text-ink-muted">{name}</dt>
            <dd className="tabular-nums">{times === null ? 'not counted yet' : formatReplyTime(times[key])}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function NotKept() {
  return (
    <Notice
      tone="quiet"
      title="Your plan has no visit statistics"
      action={
        <Button asChild>
          <Link to={paths.pricing}>See the plans</Link>
        </Button>
      }
    >
      With a plan, this page shows who visits your sites on the built-in host.
    </Notice>
  );
}

const NO_VISITS = {
  icon: ChartNoAxesColumn,
  text: 'No visits in this period. Visits to sites on the built-in host are counted without cookies and appear here within seconds.',
};
