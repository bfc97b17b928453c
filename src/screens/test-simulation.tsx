import { Check } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { Setting } from '../components/fields/setting.tsx';
import { FailedState } from '../components/page/failed-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { planBlocker, usageText } from '../features/deployments/plan-labels.ts';
import { PreflightCard } from '../features/deployments/preflight/preflight-card.tsx';
import { WhereItFits } from '../features/deployments/rank/where-it-fits.tsx';
import { FilesFooter, FilesStep, refusalText } from '../features/deployments/select/files-step.tsx';
import { type ChosenSelection, sizeOf, usePageSelection } from '../features/deployments/select/use-chosen-selection.ts';
import { ConnectInPlace } from '../flows/connect-in-place.tsx';
import type { SimulationProps } from '../flows/simulation.tsx';
import { useNavigate } from '../lib/browser/location.ts';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { paths } from '../lib/paths/paths.ts';
import type { SelectionReport } from '../uploads/inspect.ts';
import { setWaiting } from '../uploads/waiting-selection.ts';

const simulation = lazyComponent<SimulationProps>(async () => (await import('../flows/simulation.tsx')).Simulation);

/**
 * A dry run that changes nothing: it shows the files that would be published, the platforms that they fit, and the
 * refused ones.
 */
export function TestSimulationScreen() {
  const chosen = usePageSelection();
  return (
    <>
      <PageHeader
        title="Test & Simulation"
        description="See what would happen before it does. The files stay on your device."
      />
      <div className="flex flex-col gap-6 *:max-w-reading">
        <FolderCheck chosen={chosen} />
        <WhereItFits report={chosen.report} />
        <ConnectInPlace>
          <PreflightCard report={chosen.report} />
        </ConnectInPlace>
        <PlanCheck />
      </div>
      <div className="mt-6 flex flex-col gap-6">
        <SimulationOnRequest files={sizeOf(chosen.report)} />
      </div>
    </>
  );
}

/** The simulation brings the screens of a deployment, so it is loaded on request. */
function SimulationOnRequest({ files }: Omit<SimulationProps, 'intro'>) {
  const [isOpen, setOpen] = useState(false);
  const intro = (
    <p className="text-ink-muted">
      Runs through a whole deployment with the failure you choose, as you would see it. No platform, name server or
      certificate authority is asked. Nothing is kept, and nothing counts against your plan.
    </p>
  );
  if (isOpen) {
    return (
      <Suspense fallback={<SkeletonRows rows={3} />}>
        <simulation.Component files={files} intro={intro} />
      </Suspense>
    );
  }
  return (
    <Card className="max-w-reading">
      <CardHeader title="Simulation" />
      <CardBody>
        {intro}
        <Button className="mt-4" onClick={() => setOpen(true)}>
          Set up a simulation
        </Button>
      </CardBody>
    </Card>
  );
}

/** The folder stays in this page alone until the person decides to publish it. */
function FolderCheck({ chosen }: { chosen: ChosenSelection }) {
  return (
    <FilesStep
      chosen={chosen}
      title="Drop a folder or a ZIP to check it"
      description="It is read here in the browser. Nothing is sent."
      footer={chosen.report && <CheckFooter report={chosen.report} />}
    />
  );
}

function CheckFooter({ report }: { report: SelectionReport }) {
  const navigate = useNavigate();
  const refusal = refusalText(report);
  if (refusal !== null) return <FilesFooter text={`${refusal} Nothing was sent.`} />;
  return (
    <FilesFooter text="Nothing was sent.">
      <Button
        onClick={() => {
          setWaiting(report.selection);
          navigate(paths.newDeployment);
        }}
      >
        Continue to New Deployment
      </Button>
    </FilesFooter>
  );
}

function PlanCheck() {
  const allowance = trpc.subscription.allowance.useQuery();
  const blocker = allowance.data === undefined ? null : planBlocker(allowance.data);
  return (
    <Card>
      <CardHeader title="Your plan" />
      {allowance.isPending && <SkeletonRows rows={1} />}
      <FailedState failure={shownFailure('Your plan could not be loaded', allowance.error)} question={allowance} />
      {allowance.data && (
        <Setting
          title={blocker === null ? 'You can make a new deployment' : blocker.title}
          action={
            blocker === null ? (
              <Check aria-hidden className="text-good" />
            ) : (
              <Button asChild>
                <Link to={paths.subscriptionPricing}>{blocker.action}</Link>
              </Button>
            )
          }
        >
          <p>{blocker === null ? `${usageText(allowance.data)}.` : blocker.text}</p>
        </Setting>
      )}
    </Card>
  );
}
