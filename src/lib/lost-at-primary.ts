import type { Deployment, LostConnection } from '../../routers/schemas/deployments.ts';

/** Returns what keeps releases from its primary platform; undefined where nothing does. */
export function lostAtPrimary({
  destinations: [primary],
  lostConnections,
}: Pick<Deployment, 'destinations' | 'lostConnections'>): LostConnection | undefined {
  return lostConnections.find(({ destinationId }) => destinationId === primary?.id);
}
