import { FilterSelect, type FilterSelectProps } from '../../../components/fields/filter-select.tsx';
import { deploymentLabel } from '../../../lib/deployment-label.ts';

export type DeploymentSelectProps = Pick<FilterSelectProps<string>, 'allLabel' | 'value' | 'onChange'> & {
  deployments: readonly { id: string; name: string; slug: string; url: string }[];
};

/** Chooses the deployment that a screen shows. */
export function DeploymentSelect({ deployments, ...choice }: DeploymentSelectProps) {
  return (
    <FilterSelect
      {...choice}
      label="Deployment"
      options={deployments.map(({ id, name, slug, url }) => ({
        value: id,
        label: deploymentLabel({ name, slug, url }),
      }))}
    />
  );
}
