import type { Deployment, LostConnection } from '../../routers/schemas/deployments.ts';

/** Returns the connection that prevents releases at the primary platform; undefined when there is none. */
export function lostAtPrimary({
  destinations: [primary],
  lostConnections,
}: Pick<Deployment, 'destinations' | 'lostConnections'>): LostConnection | undefined {
  return lostConnections.find(({ destinationId }) => destinationId === primary?.id);
}
