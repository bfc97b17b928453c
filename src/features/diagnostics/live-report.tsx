import { RefreshCw } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import type { Report, RunDiagnosticsInput } from '../../../routers/schemas/diagnostics.ts';
import { isNothing, shownFailure } from '../../api/shown-failure.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody } from '../../components/card.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { FailedState } from '../../components/page/failed-state.tsx';
import { CheckListSkeleton } from './check-list.tsx';
import type { PlanDialog } from './check-repair.tsx';
import { ReportForm } from './report-form.tsx';
import { ShareButton } from './share-button.tsx';
import { useReport, useRunDiagnostics } from './use-report.ts';

/** Loaded once there is a report. */
const ReportView = lazy(async () => ({ default: (await import('./report-view.tsx')).ReportView }));
/** Loaded only for a problem. */
const CheckRepair = lazy(async () => ({ default: (await import('./check-repair.tsx')).CheckRepair }));
const ShareReportDialog = lazyDialog(async () => (await import('./share-report.tsx')).ShareReportDialog);

type LiveReportProps = {
  /** The report in the address. */
  reportId: string | null;
  onReport: (reportId: string | null) => void;
  /** The chosen deployment, which one press checks. */
  deployment: { id: string; name: string } | null;
  /** Chooses that deployment. */
  choice: ReactNode;
  planDialog: PlanDialog;
};

/** Checks a name or a deployment now, and shows each check when it is done. */
export function LiveReport({ reportId, onReport, deployment, choice, planDialog }: LiveReportProps) {
  const [isSharing, setSharing] = useState(false);
  const { run, isPending } = useRunDiagnostics(onReport);
  const report = useReport(reportId);
  const { data } = report;
  const isRunning = isPending || data?.state === 'running';
  const again = useCallback(() => data !== undefined && run(subjectOf(data)), [data, run]);
  const failure = shownFailure('The report could not be loaded', report.error);
  return (
    <div className="mb-6 flex flex-col gap-4">
      <StartCard deployment={deployment} choice={choice} isBusy={isRunning} onRun={run} />
      {reportId !== null && failure !== null && (
        <Card>
          <FailedState
            failure={isNothing(report.error) ? { ...failure, title: 'This report is no longer kept' } : failure}
            question={report}
          />
        </Card>
      )}
      {reportId !== null && report.isPending && <LoadingReport />}
      {data !== undefined && (
        <Suspense fallback={<LoadingReport />}>
          <ReportView
            report={data}
            actions={
              data.state !== 'running' && (
                <span className="flex gap-2">
                  <Button size="sm" isBusy={isPending} busyLabel="Checking…" onClick={again}>
                    <RefreshCw /> Check again
                  </Button>
                  {data.state === 'done' && <ShareButton onShare={() => setSharing(true)} />}
                </span>
              )
            }
            repair={({ repair }) =>
              repair !== null &&
              data.state === 'done' && (
                <Suspense fallback={null}>
                  <CheckRepair repair={repair} planDialog={planDialog} onRepaired={again} />
                </Suspense>
              )
            }
          />
        </Suspense>
      )}
      {isSharing && data !== undefined && <ShareReportDialog report={data} onClose={() => setSharing(false)} />}
    </div>
  );
}

type StartCardProps = Pick<LiveReportProps, 'deployment' | 'choice'> & {
  isBusy: boolean;
  onRun: (input: RunDiagnosticsInput) => void;
};

function StartCard({ deployment, choice, isBusy, onRun }: StartCardProps) {
  return (
    <Card>
      <CardBody className="flex flex-col gap-3">
        <ReportForm isBusy={isBusy} onName={(name) => onRun({ name })} />
        {choice && (
          <div className="flex flex-wrap gap-x-3 gap-y-1.5 border-t border-line pt-3">
            <p className="basis-full font-medium">Check a deployment</p>
            {choice}
            {deployment !== null && (
              <Button isBusy={isBusy} busyLabel="Checking…" onClick={() => onRun({ deploymentId: deployment.id })}>
                <span>
                  Check<span className="sr-only"> {deployment.name}</span>
                </span>
              </Button>
            )}
          </div>
        )}
      </CardBody>
    </Card>
  );
}

function LoadingReport() {
  return (
    <Card>
      <CheckListSkeleton />
    </Card>
  );
}

function subjectOf({ deploymentId, name }: Report): RunDiagnosticsInput {
  return deploymentId === null ? { name } : { deploymentId };
}
