import { NewDeploymentForm } from '../features/deployments/create/new-deployment-form.tsx';
import { NewDeploymentStages } from '../features/deployments/create/pipeline-stages.tsx';
import { NewDomainField } from '../features/domains/add/new-domain-field.tsx';
import { DeploymentFlow, type FlowProgressProps } from '../flows/deployment-flow.tsx';
import { lazyComponent } from '../lib/lazy-component.tsx';

const started = lazyComponent<FlowProgressProps>(
  async () => (await import('../flows/started-pipeline.tsx')).StartedPipeline,
);

export function UnifiedDeploymentScreen() {
  return (
    <DeploymentFlow
      title="All-in-One Deployment"
      description="Everything between your files and a live site, in the order in which it happens."
      renderProgress={(props) => <started.Component {...props} />}
    >
      <NewDeploymentForm namedBy="typed" takesDomain>
        <NewDeploymentStages
          domainField={
            <NewDomainField
              label="Domain of your own (optional)"
              hint="Leave it empty if you have none: the site answers at the address above."
            />
          }
        />
      </NewDeploymentForm>
    </DeploymentFlow>
  );
}
