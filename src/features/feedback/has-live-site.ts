import { trpcClient } from '../../api/trpc.ts';

/** Whether anything of the account is live; false where nobody could say so. */
export function hasLiveSite(): Promise<boolean> {
  return trpcClient.deployments.list.query({ state: 'live', limit: 1 }).then(
    ({ items }) => items.length > 0,
    () => false,
  );
}
