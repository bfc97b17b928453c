import { lazy, type ReactNode, Suspense } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { isReadOnly } from '../features/deployments/plan-words.ts';
import type { NewDeployment } from '../features/deployments/use-new-deployment.ts';
import type { FollowedDeploymentProps } from '../features/releases/followed-deployment.tsx';
import { useWhenIdle } from '../lib/later.ts';

/** Of no use before something is sent; both are here by then. */
const loadFollowed = async () => ({
  default: (await import('../features/releases/followed-deployment.tsx')).FollowedDeployment,
});
const loadMade = async () => ({
  default: (await import('../features/deployments/made-deployment.tsx')).MadeDeployment,
});
const FollowedDeployment = lazy(loadFollowed);
const MadeDeployment = lazy(loadMade);

/** What is shown once something is started. */
export type FollowProps = Pick<FollowedDeploymentProps, 'deploymentId' | 'mayChange' | 'onStartAgain' | 'next'>;

export type DeployingProps = {
  making: NewDeployment;
  title: string;
  description: string;
  /** Until something is started. */
  children: ReactNode;
  /** In the place of the steps in a list. */
  follow?: ((props: FollowProps) => ReactNode) | undefined;
};

/** Of a screen that makes a deployment and stays with it until it is live, also through a reload. */
export function Deploying({ making, title, description, children, follow = inSteps }: DeployingProps) {
  const { deploymentId, startAgain, plan } = making;
  const mayChange = !isReadOnly(plan.allowance);
  useWhenIdle(loadMade);
  useWhenIdle(loadFollowed);
  return (
    <>
      <PageHeader title={title} description={description} />
      {deploymentId === null ? (
        children
      ) : (
        <Suspense key={deploymentId} fallback={null}>
          {follow({
            deploymentId,
            mayChange,
            onStartAgain: startAgain,
            next: (
              <MadeDeployment deploymentId={deploymentId} mayChange={mayChange} onStartAgain={() => startAgain(null)} />
            ),
          })}
        </Suspense>
      )}
    </>
  );
}

function inSteps(props: FollowProps) {
  return <FollowedDeployment {...props} />;
}
