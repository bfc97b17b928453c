import { trpc } from '../../../api/trpc.ts';

/** The most that the server returns at once; others are reached by their addresses. */
const OFFERED = 50;

/** The newest deployments, to choose one of. */
export function useOfferedDeployments() {
  const list = trpc.deployments.list.useQuery({ limit: OFFERED });
  return { list, deployments: list.data?.items ?? [] };
}
