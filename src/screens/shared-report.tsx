import { isNothing, shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Card } from '../components/card.tsx';
import { EmptyState } from '../components/page/empty-state.tsx';
import { FailedState } from '../components/page/failed-state.tsx';
import { Page } from '../components/page/page.tsx';
import { CheckListSkeleton } from '../features/diagnostics/check-list.tsx';
import { ReportView } from '../features/diagnostics/report-view.tsx';
import { writtenName } from '../lib/written-name.ts';

/**
 * Shows a report to anybody who has its link. The token is behind the `#`, so that it is in no log of a server or a
 * proxy.
 */
export function SharedReportScreen() {
  const token = window.location.hash.slice(1);
  const report = trpc.diagnostics.shared.useQuery({ token }, { enabled: token !== '' });
  const failure = shownFailure('The report could not be loaded', report.error);
  const isOver = token === '' || (report.error !== null && isNothing(report.error));
  return (
    <Page>
      <h1 className="mb-6 text-2xl font-semibold wrap-anywhere">
        Report{report.data && ` of ${writtenName(report.data)}`}
      </h1>
      {report.isPending && !isOver && (
        <Card>
          <CheckListSkeleton />
        </Card>
      )}
      {isOver ? (
        <Card>
          <EmptyState>This link is not complete or has expired. Ask for a new one.</EmptyState>
        </Card>
      ) : (
        failure !== null && (
          <Card>
            <FailedState failure={failure} question={report} />
          </Card>
        )
      )}
      {report.data && <ReportView report={report.data} isShared />}
    </Page>
  );
}
