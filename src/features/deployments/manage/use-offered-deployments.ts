import { trpc } from '../../../api/trpc.ts';
import { useUser } from '../../../api/user.ts';

/** The most that the server returns at once; others are reached by their addresses. */
const OFFERED = 50;

/** The newest deployments, to choose one of. `hasNone` is known at once for a signed-in person without any. */
export function useOfferedDeployments() {
  const { user } = useUser();
  const list = trpc.deployments.list.useQuery({ limit: OFFERED });
  const deployments = list.data?.items ?? [];
  const hasNone = deployments.length === 0 && (list.isSuccess || user?.deploymentCount === 0);
  return { list, deployments, hasNone };
}
