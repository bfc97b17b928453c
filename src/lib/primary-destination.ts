import type { Deployment, LostConnection } from '../../routers/schemas/deployments.ts';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';

type Destinations<Of> = { primaryId: string; destinations: readonly Of[] };

/** Returns the destination whose state is the deployment's or the release's own; undefined while there is none. */
export function primaryOf<Of extends Pick<Destination, 'id'>>({
  primaryId,
  destinations,
}: Destinations<Of>): Of | undefined {
  return destinations.find(({ id }) => id === primaryId);
}

/** Returns the others, which follow the primary one. */
export function othersOf<Of extends Pick<Destination, 'id'>>({ primaryId, destinations }: Destinations<Of>): Of[] {
  return destinations.filter(({ id }) => id !== primaryId);
}

/** Returns the connection that prevents releases at the primary platform; undefined when there is none. */
export function lostAtPrimary({
  primaryId,
  lostConnections,
}: Pick<Deployment, 'primaryId' | 'lostConnections'>): LostConnection | undefined {
  return lostConnections.find(({ destinationId }) => destinationId === primaryId);
}
