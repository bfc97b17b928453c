import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { Release } from '../../../routers/schemas/releases.ts';

/** The platform at which going back to a release is done by hand; null where it is done from here. */
export function goneBackAt({ platform }: Pick<Release, 'platform'>): string | null {
  const canGoBack = PLATFORM_CAPABILITIES[platform]?.rollBack ?? true;
  return canGoBack ? null : PLATFORMS[platform].title;
}
