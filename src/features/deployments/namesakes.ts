import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { DEPLOYMENT_NAME_MAX } from '../../../routers/schemas/limits.ts';
import { trpc } from '../../api/trpc.ts';
import { useDebounced } from '../../lib/browser/use-debounced.ts';

/** Returns the deployments of the account with exactly this name; undefined until the server has answered for it. */
export function useNamesakesOf(name: string, isPaused: boolean): readonly Deployment[] | undefined {
  const wanted = name.trim();
  const search = useDebounced(wanted);
  const isAsked = search !== '' && search.length <= DEPLOYMENT_NAME_MAX;
  // An answer from before a deployment was made must not be found again.
  const found = trpc.deployments.list.useQuery({ search }, { enabled: isAsked && !isPaused, gcTime: 0 });
  if (search !== wanted) return undefined;
  const alike = isAsked && found.error === null ? found.data?.items : [];
  return alike?.filter((other) => other.name.toLowerCase() === wanted.toLowerCase() && other.state !== 'deleting');
}

export function namesakesText({ length }: readonly Deployment[]): string {
  return `You already have ${length === 1 ? 'a deployment' : formatCount(length, 'deployment')} with this name.`;
}
