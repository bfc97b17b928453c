import { isBelowFolder, ownersSite } from '../../../../routers/schemas/platforms/below-folder.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { trpc } from '../../../api/trpc.ts';
import type { FindingsPlace } from '../select/findings.ts';
import { useNewDeploymentFields } from './new-deployment-form.tsx';

/** Whether the new site is to be below a folder of a host at first: a domain that is asked for leads there later. */
export function useBelowFolder(): boolean {
  const [platform, options] = useNewDeploymentFields().watch(['platform', 'options']);
  return isBelowFolder(PLATFORM_CAPABILITIES[platform]?.basePath, '', false, options?.repository);
}

/** Where the files of a new deployment are to go, and what would put them at the root of their host. */
export function useNewPlace(): FindingsPlace {
  const { watch, setValue } = useNewDeploymentFields();
  const [connectionId, targetId] = watch(['connectionId', 'targetId']);
  const below = useBelowFolder();
  const { data } = trpc.connections.list.useQuery(undefined, { enabled: below });
  const owner = targetId ?? loginIn(data?.items.find(({ id }) => id === connectionId)?.identity);
  if (!below || owner === undefined) return { isBelowFolder: below };
  const name = ownersSite(owner.toLowerCase());
  return { isBelowFolder: below, rootSite: { name, use: () => setValue('options.repository', name) } };
}

/** An identity is `login`, or `Name (login)`. */
function loginIn(identity: string | undefined): string | undefined {
  return identity === undefined ? undefined : (/\(([^()]+)\)$/.exec(identity)?.[1] ?? identity);
}
