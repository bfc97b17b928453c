import { isBelowFolder } from '../../../../routers/schemas/platforms/below-folder.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { useNewDeploymentFields } from './new-deployment-form.tsx';

/** Whether the new site is to be below a folder of a host at first: a domain that is asked for leads there later. */
export function useBelowFolder(): boolean {
  const platform = useNewDeploymentFields().watch('platform');
  return isBelowFolder(PLATFORM_CAPABILITIES[platform]?.basePath, '', false);
}
