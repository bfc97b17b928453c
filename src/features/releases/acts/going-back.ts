import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { Release } from '../../../../routers/schemas/releases.ts';

type Released = Pick<Release, 'platform'>;

/** Returns the platform where rolling back to a release is done by hand; null when it is done from here. */
export function goneBackAt({ platform }: Released): string | null {
  return PLATFORM_CAPABILITIES[platform]?.rollBack === null ? PLATFORMS[platform].title : null;
}

/** Returns when visitors see a release again after a rollback: "in about a second". */
export function seenAgainText({ platform }: Released): string {
  const rollBack = PLATFORM_CAPABILITIES[platform]?.rollBack;
  if (!rollBack) return 'once it is done';
  const why = rollBack.again ? `, since ${PLATFORMS[platform].title} ${rollBack.again} it again` : '';
  return `in ${rollBack.takes}${why}`;
}
