import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { useAddress } from '../browser/location.ts';
import { paths } from './paths.ts';

/** Parameters in the address of Settings: the connection whose token is to be replaced, or the platform to connect. */
export const REPLACE = 'replace';
export const CONNECT = 'connect';

/** Returns the state for a visit by such a link, which leads back to the page that has it. */
export function useReturnState(): { returnTo: string } {
  const { pathname, search } = useAddress();
  return { returnTo: pathname + search };
}

/** Returns the address that such a visit came from; null for any other. */
export function returnAddress(visit: unknown): string | null {
  const { returnTo }: { returnTo?: unknown } = Object(visit);
  return typeof returnTo === 'string' ? returnTo : null;
}

/** Links to Settings with the dialog for repairing a connection open. */
export const connectionLinks = {
  replaceToken: (connectionId: string) => `${paths.settings}?${REPLACE}=${encodeURIComponent(connectionId)}`,
  connect: (platform: PlatformId) => `${paths.settings}?${CONNECT}=${platform}`,
};
