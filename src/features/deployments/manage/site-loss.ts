import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { HELD_SLUG_DAYS } from '../../../../routers/schemas/limits.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { trpc } from '../../../api/trpc.ts';
import { isAddressReserved, isReached, type Published, siteTexts } from '../../../lib/site-ending.ts';

/**
 * Describes what deleting the deployment removes for good, and what stays where. `isReachedAt` returns whether Fairlead
 * can still act for the person at a platform.
 */
export function lossText(
  deployment: Published & Pick<Deployment, 'releaseCount'>,
  isReachedAt: (platform: PlatformId) => boolean,
): string {
  const { releaseCount } = deployment;
  const releases =
    releaseCount === 0
      ? 'It has no releases yet.'
      : `${formatCount(releaseCount, 'release')} and ${releaseCount === 1 ? 'its' : 'their'} files are lost. The visit statistics are deleted too.`;
  const held = isAddressReserved(deployment)
    ? [`We reserve the address for you for up to ${HELD_SLUG_DAYS} days.`]
    : [];
  return [...siteTexts(deployment, isReachedAt), releases, 'This cannot be undone.', ...held].join(' ');
}

/** Returns whether a connection that the deployment uses at a platform still works; unknown counts as yes. */
export function useIsReached(deploymentId: string): (platform: PlatformId) => boolean {
  const { data } = trpc.connections.list.useQuery();
  return (platform) => isReached(data?.items, platform, deploymentId);
}
