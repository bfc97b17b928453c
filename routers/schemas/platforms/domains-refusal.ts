import { PLATFORM_CAPABILITIES } from './capabilities/index.ts';
import type { PlatformId } from './ids.ts';
import { PLATFORMS } from './list.ts';

/** Returns why a deployment on this platform takes no domain here, or null: some take names only on their own pages. */
export function domainsRefusal(platform: PlatformId): string | null {
  const { isServedHere, title } = PLATFORMS[platform];
  if (isServedHere === true) return null;
  const domain = PLATFORM_CAPABILITIES[platform]?.domain ?? null;
  const isTaken = domain !== null && domain.records !== 'fromPerson';
  return isTaken ? null : `Domains of a deployment on ${title} are added at ${title} itself.`;
}
