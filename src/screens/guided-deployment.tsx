import { GuidedSteps } from '../features/deployments/guided-steps.tsx';
import { useNewDeployment } from '../features/deployments/use-new-deployment.ts';
import { Deploying } from '../layouts/deploying.tsx';

export function GuidedDeploymentScreen() {
  const making = useNewDeployment({ namedBy: 'typed' });
  return (
    <Deploying
      making={making}
      title="Guided Deployment"
      description="One question a step, and nothing happens before the last."
    >
      <GuidedSteps making={making} />
    </Deploying>
  );
}
