import { Check } from 'lucide-react';
import { Link, useNavigate } from 'react-router';
import { setPendingDrop } from '../api/pending-drop.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { FailedState } from '../components/failed-state.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Setting } from '../components/setting.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { FilesFooter } from '../features/deployments/files-footer.tsx';
import { FilesPart } from '../features/deployments/files-part.tsx';
import { type FolderReport, refusalText } from '../features/deployments/folder-report.ts';
import { planBar, usageText } from '../features/deployments/plan-words.ts';
import { usePageFiles } from '../features/deployments/use-page-files.ts';
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
  const files = usePageFiles(null);
  return (
    <FilesPart
      files={files}
      title="Drop a folder or a ZIP to check it"
      description="It is read here in the browser. Nothing is sent."
      footer={files.report && <CheckFooter report={files.report} />}
    />
  );
}

function CheckFooter({ report }: { report: FolderReport }) {
  const navigate = useNavigate();
  const refusal = refusalText(report);
  if (refusal !== null) return <FilesFooter text={`${refusal} Nothing was sent.`} />;
  return (
    <FilesFooter text="Nothing was sent.">
      <Button
        onClick={() => {
          setPendingDrop(report.folder);
          void navigate(paths.newDeployment);
        }}
      >
        Go on to New Deployment
      </Button>
    </FilesFooter>
  );
}

function PlanCheck() {
  const allowance = trpc.subscription.allowance.useQuery();
  const bar = allowance.data === undefined ? null : planBar(allowance.data);
  return (
    <Card>
      <CardHeader title="Your plan" />
      {allowance.isPending && <SkeletonRows rows={1} />}
      <FailedState failure={shownFailure('Your plan could not be read', allowance.error)} question={allowance} />
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
