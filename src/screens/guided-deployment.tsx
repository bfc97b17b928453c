import { GuidedSteps } from '../features/deployments/create/guided/guided-steps.tsx';
import { NewDeploymentForm } from '../features/deployments/create/new-deployment-form.tsx';
import { DomainQuestion } from '../features/domains/add/domain-question.tsx';
import { DeploymentFlow } from '../flows/deployment-flow.tsx';

export function GuidedDeploymentScreen() {
  return (
    <DeploymentFlow title="Guided Deployment" description="One question at a time. Nothing is published until the end.">
      <NewDeploymentForm namedBy="typed" takesDomain>
        <GuidedSteps renderDomain={(props) => <DomainQuestion {...props} />} />
      </NewDeploymentForm>
    </DeploymentFlow>
  );
}
