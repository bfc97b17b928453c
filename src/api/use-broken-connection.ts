import type { PlatformConnection } from '../../routers/schemas/connections.ts';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { trpc } from './trpc.ts';

export type BrokenConnectionOptions = {
  platform: PlatformId;
  /** False where nothing failed: then nobody is asked. */
  enabled: boolean;
};

/**
 * The connection whose token has to be replaced before the deployment can be published at this platform again; null where
 * there is none, and until it is known. One that the deployment uses at another platform is no reason for what failed here.
 */
export function useBrokenConnection(
  deploymentId: string,
  { platform, enabled }: BrokenConnectionOptions,
): PlatformConnection | null {
  const { data } = trpc.connections.list.useQuery(undefined, { enabled });
  if (!enabled || data === undefined) return null;
  const further = PLATFORM_CAPABILITIES[platform]?.furtherConnections ?? [];
  const isUsedHere = ({ provider, deployments }: PlatformConnection): boolean =>
    deployments.some(({ id }) => id === deploymentId) &&
    (provider === platform || further.some((one) => one.provider === provider));
  const platforms = data.items.filter((connection) => connection.kind === 'platform');
  return platforms.find((connection) => connection.state === 'broken' && isUsedHere(connection)) ?? null;
}
