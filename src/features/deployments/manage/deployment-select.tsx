import { trpc } from '../../../api/trpc.ts';
import { FilterSelect, type FilterSelectProps } from '../../../components/filter-select.tsx';
import { deploymentLabel } from '../../../lib/deployment-label.ts';

/** The most that the server answers at once; any other is reached by its address. */
const OFFERED = 50;

/** The newest deployments, to choose one of. */
export function useOfferedDeployments() {
  const list = trpc.deployments.list.useQuery({ limit: OFFERED });
  return { list, deployments: list.data?.items ?? [] };
}

export type DeploymentSelectProps = Pick<FilterSelectProps<string>, 'allLabel' | 'value' | 'onChange'> & {
  deployments: readonly { id: string; name: string; slug: string }[];
};

/** What a screen shows, of one deployment. */
export function DeploymentSelect({ deployments, ...choice }: DeploymentSelectProps) {
  return (
    <FilterSelect
      {...choice}
      label="Deployment"
      options={deployments.map(({ id, name, slug }) => ({ value: id, label: deploymentLabel({ name, slug }) }))}
    />
  );
}
