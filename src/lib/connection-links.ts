import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { paths } from './paths.ts';

/** Parameters in the address of Settings: the connection whose token is to be replaced, or the platform to connect. */
export const REPLACE = 'replace';
export const CONNECT = 'connect';

/** Links to Settings with the dialog for repairing a connection open. */
export const connectionLinks = {
  replaceToken: (connectionId: string) => `${paths.settings}?${REPLACE}=${encodeURIComponent(connectionId)}`,
  connect: (platform: PlatformId) => `${paths.settings}?${CONNECT}=${platform}`,
};
