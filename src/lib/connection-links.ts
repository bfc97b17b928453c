import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { paths } from './paths.ts';

/** Parameters in the address of Settings: the connection whose token is to be replaced, or the platform to connect. */
export const REPLACE = 'replace';
export const CONNECT = 'connect';

/** The state of a visit by such a link, which leads back to where it was followed. */
export const RETURNING = { isReturning: true };

export function isReturning(visit: unknown): boolean {
  return typeof visit === 'object' && visit !== null && 'isReturning' in visit;
}

/** Links to Settings with the dialog for repairing a connection open. */
export const connectionLinks = {
  replaceToken: (connectionId: string) => `${paths.settings}?${REPLACE}=${encodeURIComponent(connectionId)}`,
  connect: (platform: PlatformId) => `${paths.settings}?${CONNECT}=${platform}`,
};
