import { folderOf, ownersSite } from '../../../../routers/schemas/platforms/below-folder.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { trpc } from '../../../api/trpc.ts';
import type { FindingsPlace } from '../select/findings.ts';
import { useNewDeploymentFields } from './new-deployment-form.tsx';

/** The folder of its host below which the new site is to be at first: a domain that is asked for leads there later. */
export function useFolder(): string | null {
  const [platform, options] = useNewDeploymentFields().watch(['platform', 'options']);
  return folderOf(PLATFORM_CAPABILITIES[platform]?.basePath, '', false, options?.repository);
}

/** Where the files of a new deployment are to go, and what would put them at the root of their host. */
export function useNewPlace(): FindingsPlace {
  const { watch, setValue } = useNewDeploymentFields();
  const [platform, connectionId, targetId] = watch(['platform', 'connectionId', 'targetId']);
  const platforms = [platform];
  const folder = useFolder();
  const { data } = trpc.connections.list.useQuery(undefined, { enabled: folder !== '' });
  const owner = targetId ?? loginIn(data?.items.find(({ id }) => id === connectionId)?.identity);
  if (folder === '' || owner === undefined) return { folder, platforms };
  const name = ownersSite(owner.toLowerCase());
  return { folder, platforms, rootSite: { name, use: () => setValue('options.repository', name) } };
}

/** An identity is `login`, or `Name (login)`. */
function loginIn(identity: string | undefined): string | undefined {
  return identity === undefined ? undefined : (/\(([^()]+)\)$/.exec(identity)?.[1] ?? identity);
}
