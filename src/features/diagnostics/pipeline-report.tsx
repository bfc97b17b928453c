import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody } from '../../components/card.tsx';
import { waitsForHost } from '../../lib/loopback.ts';
import { href } from '../../lib/paths/paths.ts';
import { useReport, useRunDiagnostics } from './use-report.ts';

/** Loaded once there is a report. */
const ReportView = lazy(async () => ({ default: (await import('./report-view.tsx')).ReportView }));

/**
 * Ends a pipeline once something is live: every check, and the last report, also after a reload. A domain that waits
 * for its owner would only be reported as broken, so the report is then started by a press.
 */
export function PipelineReport({ deploymentId }: { deploymentId: string }) {
  const [begun, setBegun] = useState<string | null>(null);
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  const isLive = deployment.data !== undefined && deployment.data.currentRelease !== null;
  const reports = trpc.diagnostics.list.useQuery({ deploymentId }, { enabled: isLive });
  const domains = trpc.domains.list.useQuery({ deploymentId, limit: 1 }, { enabled: isLive });
  const { run, isPending } = useRunDiagnostics(setBegun);
  const isAllThere = domains.data?.items.every((one) => one.state === 'active' || waitsForHost(one)) === true;
  const isDue = isLive && isAllThere && reports.data?.items.length === 0;
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isDue || isAsked.current) return;
    isAsked.current = true;
    run({ deploymentId });
  });
  const { data: report } = useReport(begun ?? reports.data?.items[0]?.id ?? null);
  if (!isLive) return null;
  return (
    <div className="flex flex-col gap-4">
      <Card>
        <CardBody className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-60 text-sm text-ink-muted">
            From the name servers to the page itself: a fresh check of what visitors get.
          </p>
          <Button
            isBusy={isPending || report?.state === 'running'}
            busyLabel="Checking…"
            onClick={() => run({ deploymentId })}
          >
            Run all checks
          </Button>
        </CardBody>
      </Card>
      {report !== undefined && (
        <Suspense>
          <ReportView
            report={report}
            actions={
              <Button size="sm" asChild>
                <Link to={`${href.diagnostics(deploymentId)}&report=${report.id}`}>Open the report</Link>
              </Button>
            }
          />
        </Suspense>
      )}
    </div>
  );
}
