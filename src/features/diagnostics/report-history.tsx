import { CircleDashed, LoaderCircle, Stethoscope } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ReportList } from '../../../routers/schemas/diagnostics.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { paths } from '../../lib/paths/paths.ts';
import { writtenName } from '../../lib/written-name.ts';
import { CHECK_TITLES } from './check-titles.ts';
import { VERDICT_LOOKS } from './verdict-looks.ts';

/** A person makes about this many in a while; the others are shown on request. */
const SHOWN_AT_FIRST = 5;

export type ReportHistoryProps = {
  /** The report that is shown above. */
  reportId: string | null;
  /** The deployment that is shown above, which stays as it is. */
  deploymentId: string | undefined;
  /** True where the screen itself says that there is nothing yet. */
  isSilent: boolean;
};

/** Lists the kept reports, newest first. */
export function ReportHistory({ reportId, deploymentId, isSilent }: ReportHistoryProps) {
  const [isWhole, setWhole] = useState(false);
  const list = trpc.diagnostics.list.useQuery();
  const items = list.data?.items ?? [];
  const shown = isWhole ? items : items.slice(0, SHOWN_AT_FIRST);
  const hidden = items.length - shown.length;
  if (isSilent && items.length === 0) return null;
  return (
    <Card className="mt-6 overflow-hidden">
      <CardHeader title="Reports" count={items.length === 0 ? undefined : items.length} />
      <ListStates
        list={list}
        count={items.length}
        skeleton={<SkeletonRows rows={2} />}
        failure={shownFailure('The reports could not be loaded', list.error)}
        empty={{
          icon: Stethoscope,
          text: 'No saved reports yet. Check a domain name or a deployment above to make one.',
        }}
      >
        <ul aria-label="Reports" className="divide-y divide-line">
          {shown.map((report) => (
            <ReportRow
              key={report.id}
              report={report}
              isShown={report.id === reportId}
              deploymentId={report.deploymentId ?? deploymentId}
            />
          ))}
        </ul>
        {hidden > 0 && (
          <CardBody className="border-t border-line">
            <Button size="sm" onClick={() => setWhole(true)}>
              Show {formatCount(hidden, 'more report')}
            </Button>
          </CardBody>
        )}
      </ListStates>
    </Card>
  );
}

type ListedReport = ReportList['items'][number];
type ReportRowProps = { report: ListedReport; isShown: boolean; deploymentId: string | undefined };

function ReportRow({ report, isShown, deploymentId }: ReportRowProps) {
  const { id, cause, startedAt } = report;
  const query = new URLSearchParams({ ...(deploymentId !== undefined && { deployment: deploymentId }), report: id });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 sm:px-5">
      <div className="min-w-0 grow basis-40">
        <Link
          to={`${paths.diagnostics}?${query}`}
          aria-current={isShown ? 'true' : undefined}
          // The report is above.
          onClick={() => window.scrollTo(0, 0)}
          className="rounded-tight py-1 font-medium wrap-anywhere hover:underline aria-[current]:text-accent touch:py-3"
        >
          {writtenName(report)}
        </Link>
        {cause !== null && <p className="text-sm text-ink-muted">First failed check: {CHECK_TITLES[cause]}</p>}
      </div>
      <Outcome report={report} />
      <span className="text-sm text-ink-muted sm:w-32 sm:text-right">
        <Time at={startedAt} />
      </span>
    </li>
  );
}

function Outcome({ report: { state, verdict } }: { report: ListedReport }) {
  if (verdict !== null) {
    const { tone, icon, word } = VERDICT_LOOKS[verdict];
    return (
      <Badge tone={tone} icon={icon}>
        {word}
      </Badge>
    );
  }
  const isRunning = state === 'running';
  return (
    <Badge tone={isRunning ? 'accent' : 'unknown'} icon={isRunning ? LoaderCircle : CircleDashed} isRunning={isRunning}>
      {isRunning ? 'Running' : 'Not created'}
    </Badge>
  );
}
