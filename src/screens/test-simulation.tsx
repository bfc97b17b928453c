import { Check } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { errorDetails, errorMessage } from '../api/errors.ts';
import { setPendingDrop } from '../api/pending-drop.ts';
import { trpc } from '../api/trpc.ts';
import type { Picked } from '../api/upload-picks.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Setting } from '../components/setting.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { DropZone } from '../features/deployments/drop-zone.tsx';
import { folderNoun, takeBuildFolder } from '../features/deployments/folder-report.ts';
import { FolderSummaryLater } from '../features/deployments/folder-summary-later.tsx';
import { planBar, usageText } from '../features/deployments/plan-words.ts';
import { useFolderReport } from '../features/deployments/use-folder-report.ts';
import { paths } from '../lib/paths.ts';

/** A preflight of the real thing that changes nothing: what would be published, and whether the plan allows it. */
export function TestSimulationScreen() {
  return (
    <div className="max-w-reading">
      <PageHeader
        title="Test & Simulation"
        description="See what would happen before it does. The files stay on your computer."
      />
      <div className="flex flex-col gap-6">
        <FolderCheck />
        <PlanCheck />
        <Notice tone="quiet" title="The simulated run is not available in this version">
          A deployment cannot be played through with failures of your choice yet. The checks above are real.
        </Notice>
      </div>
    </div>
  );
}

/** The folder lives in this page alone until the person decides to publish it. */
function FolderCheck() {
  const navigate = useNavigate();
  const [folder, setFolder] = useState<Picked | null>(null);
  const { report, setPublishAnyway } = useFolderReport(folder);

  if (folder === null || report === null) {
    return (
      <DropZone
        title="Drop a folder or a ZIP to check it"
        description="It is read here in the browser. Nothing is sent."
        isRestoring={folder !== null}
        onFolder={setFolder}
      />
    );
  }
  const build = takeBuildFolder(report);
  const isRefused = report.reading.refusal !== null;
  return (
    <FolderSummaryLater
      report={report}
      onReplace={() => setFolder(null)}
      onPublishAnyway={setPublishAnyway}
      onTakeBuildFolder={build === null ? null : () => setFolder(build)}
      footer={
        <div className="flex flex-wrap items-center justify-between gap-3 p-4 sm:px-5">
          <p className="min-w-0 text-sm text-ink-muted">
            {isRefused ? `The ${folderNoun(folder)} cannot be published as it is. ` : ''}Nothing was sent.
          </p>
          {!isRefused && (
            <Button
              onClick={() => {
                setPendingDrop(folder);
                void navigate(paths.newDeployment);
              }}
            >
              Go on to New Deployment
            </Button>
          )}
        </div>
      }
    />
  );
}

function PlanCheck() {
  const allowance = trpc.subscription.allowance.useQuery();
  const bar = allowance.data === undefined ? null : planBar(allowance.data);
  return (
    <Card>
      <CardHeader title="Your plan" />
      {allowance.isPending && <SkeletonRows rows={1} />}
      {allowance.error && (
        <ErrorState
          title="Your plan could not be read"
          onRetry={() => void allowance.refetch()}
          isRetrying={allowance.isFetching}
          requestId={errorDetails(allowance.error).requestId}
        >
          {errorMessage(allowance.error)}
        </ErrorState>
      )}
      {allowance.data && (
        <Setting
          title={bar === null ? 'A new deployment can be made' : bar.title}
          action={
            bar === null ? (
              <Check aria-hidden className="text-good" />
            ) : (
              <Button asChild>
                <Link to={paths.subscriptionPricing}>{bar.action}</Link>
              </Button>
            )
          }
        >
          <p>{bar === null ? `${usageText(allowance.data)}.` : bar.text}</p>
        </Setting>
      )}
    </Card>
  );
}
