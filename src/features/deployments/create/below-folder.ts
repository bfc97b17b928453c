import { folderOf, ownersSite } from '../../../../routers/schemas/platforms/below-folder.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { trpc } from '../../../api/trpc.ts';
import { namesakesText } from '../namesakes.ts';
import type { FindingsContext } from '../select/findings.ts';
import { focusChoices, useNamesakes } from './name-field.tsx';
import { useNewDeploymentFields } from './new-deployment-form.tsx';
import { usePlanBlocker } from './use-plan-blocker.ts';

/**
 * Returns the folder of its host that the new site will be below at first; a requested domain only points there later.
 */
export function useFolder(): string | null {
  const [platform, options] = useNewDeploymentFields().watch(['platform', 'options']);
  return folderOf(PLATFORM_CAPABILITIES[platform]?.basePath, '', false, options?.repository);
}

/**
 * Returns where the files of a new deployment will go, how they could be at the root of their host, and what holds it up.
 * `onDecide` leads to the choices for a name that is taken.
 */
export function useNewDeploymentContext(onDecide: () => void = focusChoices): FindingsContext {
  const { watch, setValue } = useNewDeploymentFields();
  const [platform, connectionId, targetId] = watch(['platform', 'connectionId', 'targetId']);
  const platforms = [platform];
  const { blocker } = usePlanBlocker();
  const namesakes = useNamesakes() ?? [];
  const ofName = namesakes.length > 0 ? { text: namesakesText(namesakes), onDecide } : undefined;
  const hold = blocker === null ? ofName : { text: `${blocker.title}.` };
  const folder = useFolder();
  const { data } = trpc.connections.list.useQuery(undefined, { enabled: folder !== '' });
  const owner = targetId ?? loginIn(data?.items.find(({ id }) => id === connectionId)?.identity);
  if (folder === '' || owner === undefined) return { folder, platforms, hold };
  const name = ownersSite(owner.toLowerCase());
  return { folder, platforms, hold, rootSite: { name, use: () => setValue('options.repository', name) } };
}

/** Reads the login from an identity: `login`, or `Name (login)`. */
function loginIn(identity: string | undefined): string | undefined {
  return identity === undefined ? undefined : (/\(([^()]+)\)$/.exec(identity)?.[1] ?? identity);
}
