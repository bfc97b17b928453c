import { StageList } from '../components/stage.tsx';
import { NewDeploymentForm } from '../features/deployments/create/new-deployment-form.tsx';
import { AbsentStages, NewDeploymentStages } from '../features/deployments/create/pipeline-stages.tsx';
import { PipelineProgress } from '../features/releases/pipeline-progress.tsx';
import { DeploymentFlow } from '../layouts/deployment-flow.tsx';

export function UnifiedDeploymentScreen() {
  return (
    <DeploymentFlow
      title="All-in-One Deployment"
      description="Everything between your files and a live site, in the order in which it happens."
      renderProgress={(props) => <PipelineProgress {...props} absentStages={<AbsentStages />} />}
    >
      <NewDeploymentForm namedBy="typed">
        <StageList label="Pipeline">
          <NewDeploymentStages />
        </StageList>
      </NewDeploymentForm>
    </DeploymentFlow>
  );
}
