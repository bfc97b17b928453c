import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { paths } from './paths.ts';

/** In the address of Settings: the connection whose token is to be replaced, or the platform that is to be connected. */
export const REPLACE = 'replace';
export const CONNECT = 'connect';

/** Lead to Settings with the dialog open that mends a connection. */
export const connectionLinks = {
  replaceToken: (connectionId: string) => `${paths.settings}?${REPLACE}=${encodeURIComponent(connectionId)}`,
  connect: (platform: PlatformId) => `${paths.settings}?${CONNECT}=${platform}`,
};
