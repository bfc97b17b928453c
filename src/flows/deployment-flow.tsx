import { type ReactNode, Suspense } from 'react';
import { Beside } from '../components/page/error-boundary.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { PlanLine } from '../features/deployments/create/plan-line.tsx';
import { usePlanBlocker } from '../features/deployments/create/use-plan-blocker.ts';
import { useStartedDeployment } from '../features/deployments/create/use-started-deployment.ts';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import type { ProgressStepsProps } from '../features/releases/progress/progress-steps.tsx';
import { ProgressSkeleton } from '../features/releases/progress-skeleton.tsx';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { ConnectInPlace } from './connect-in-place.tsx';
import { NextSteps } from './next-steps.tsx';

/** Loaded when something was published: choosing works without it. */
const steps = lazyComponent<FlowProgressProps>(async () => (await import('./started-steps.tsx')).StartedSteps);

const badge = lazyComponent<{ deploymentId: string }>(
  async () => (await import('../features/releases/progress/progress-states.tsx')).ProgressBadge,
);

export type FlowProgressProps = ProgressStepsProps & {
  /** A domain that was requested with the deployment and could not be added. */
  wantedDomain: string | null;
};

export type DeploymentFlowProps = {
  title: string;
  /** Shown until a deployment is started. */
  description: string;
  /** Shown until a deployment is started. */
  children: ReactNode;
  /** Replaces the list of steps that follows the started release. */
  renderProgress?: ((props: FlowProgressProps) => ReactNode) | undefined;
};

/** A screen that makes a deployment and stays with it until it is live, also through a reload. */
export function DeploymentFlow({ title, description, children, renderProgress = inSteps }: DeploymentFlowProps) {
  const { deploymentId, wantedDomain, startAgain } = useStartedDeployment();
  const { allowance } = usePlanBlocker();
  const progress = (id: string) => {
    const mayChange = !isReadOnly(allowance, id);
    return renderProgress({
      deploymentId: id,
      wantedDomain,
      mayChange,
      onStartAgain: startAgain,
      next: <NextSteps deploymentId={id} mayChange={mayChange} onStartAgain={() => startAgain(null)} />,
    });
  };
  return (
    <>
      <PageHeader
        title={title}
        badge={
          deploymentId !== null && (
            <Beside>
              <badge.Component deploymentId={deploymentId} />
            </Beside>
          )
        }
        description={deploymentId === null ? <PlanLine>{description}</PlanLine> : undefined}
      />
      {deploymentId === null ? (
        <ConnectInPlace>{children}</ConnectInPlace>
      ) : (
        <Suspense key={deploymentId} fallback={<ProgressSkeleton />}>
          {progress(deploymentId)}
        </Suspense>
      )}
    </>
  );
}

function inSteps(props: FlowProgressProps) {
  return <steps.Component {...props} />;
}
