import { Fragment, type ReactNode } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { NextSteps } from '../features/deployments/create/next-steps.tsx';
import { usePlanBlocker } from '../features/deployments/create/use-plan-blocker.ts';
import { useStartedDeployment } from '../features/deployments/create/use-started-deployment.ts';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { ProgressSteps, type ProgressStepsProps } from '../features/releases/progress-steps.tsx';

export type DeploymentFlowProps = {
  title: string;
  description: string;
  /** Shown until a deployment is started. */
  children: ReactNode;
  /** Replaces the list of steps that follows the started release. */
  renderProgress?: ((props: ProgressStepsProps) => ReactNode) | undefined;
};

/** A screen that makes a deployment and stays with it until it is live, also through a reload. */
export function DeploymentFlow({ title, description, children, renderProgress = inSteps }: DeploymentFlowProps) {
  const { deploymentId, startAgain } = useStartedDeployment();
  const mayChange = !isReadOnly(usePlanBlocker().allowance);
  const progress = (id: string) =>
    renderProgress({
      deploymentId: id,
      mayChange,
      onStartAgain: startAgain,
      next: <NextSteps deploymentId={id} mayChange={mayChange} onStartAgain={() => startAgain(null)} />,
    });
  return (
    <>
      <PageHeader title={title} description={description} />
      {deploymentId === null ? children : <Fragment key={deploymentId}>{progress(deploymentId)}</Fragment>}
    </>
  );
}

function inSteps(props: ProgressStepsProps) {
  return <ProgressSteps {...props} />;
}
