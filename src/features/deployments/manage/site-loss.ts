import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { HELD_SLUG_DAYS } from '../../../../routers/schemas/limits.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { trpc } from '../../../api/trpc.ts';
import { formatAddress } from '../../../lib/format.ts';

/**
 * Describes what deleting the deployment removes for good, and what stays where. `isReached` returns whether Fairlead
 * can still act for the person at a platform.
 */
export function lossText(
  { releaseCount, currentRelease, destinations }: Pick<Deployment, 'releaseCount' | 'currentRelease' | 'destinations'>,
  isReached: (platform: PlatformId) => boolean,
): string {
  const published = destinations.filter(({ mayHaveSite }) => mayHaveSite || currentRelease !== null);
  const sites = published.flatMap((one) => siteText(one, isReached) ?? []);
  const releases =
    releaseCount === 0
      ? 'It has no releases yet.'
      : `${formatCount(releaseCount, 'release')} and ${releaseCount === 1 ? 'its' : 'their'} files are lost. The visit statistics are deleted too.`;
  const isHeld = currentRelease !== null && destinations.some(({ platform }) => PLATFORMS[platform].isServedHere);
  const held = isHeld ? [`We reserve the address for you for ${HELD_SLUG_DAYS} days.`] : [];
  return [...sites, releases, 'This cannot be undone.', ...held].join(' ');
}

/** Describes the effect on the site at one platform, which the owner may have chosen to leave; null when there is none. */
export function siteText(
  destination: Destination,
  isReachedAt: (platform: PlatformId) => boolean,
  isLeft = false,
): string | null {
  const ending = siteEnding(destination, isReachedAt, isLeft);
  return ending === null ? null : `${siteName(destination)} ${ending}`;
}

/** Returns the words for the site at one platform with which the text about it begins. */
export function siteName({ url }: Destination): string {
  return url === '' ? 'Whatever an unfinished release left behind' : formatAddress(url);
}

/** Returns the text about the site at one platform after its name; null when there is nothing to tell. */
export function siteEnding(
  { platform, url, state, mayHaveSite, named }: Destination,
  isReachedAt: (platform: PlatformId) => boolean,
  isLeft = false,
): string | null {
  const { title, isServedHere } = PLATFORMS[platform];
  if (mayHaveSite !== true && (url === '' || state === 'idle')) return null;
  if (isServedHere) return 'goes offline at once.';
  if (PLATFORM_CAPABILITIES[platform]?.publish === 'handOff') {
    return `stays until you delete the app at ${title} yourself.`;
  }
  const { furtherConnections = [] } = PLATFORM_CAPABILITIES[platform] ?? {};
  const isReached = !isLeft && isReachedAt(platform);
  const sources = furtherConnections.filter(({ provider }) => !isReached || !isReachedAt(provider));
  const { title: keeper } = PLATFORMS[furtherConnections[0]?.provider ?? platform];
  return [
    isReached
      ? `is taken down at ${title}.`
      : `stays at ${title}, ${isLeft ? 'as you chose' : 'which Fairlead can no longer reach: take it down there'}.`,
    ...(named !== undefined
      ? [
          `The ${named.what} ${named.name} stays at ${keeper}${isReached && sources.length === 0 ? ', without the site' : ''}.`,
        ]
      : sources.map(({ provider }) => `Its repository stays at ${PLATFORMS[provider].title}.`)),
  ].join(' ');
}

/** Returns whether a connection that the deployment uses at a platform still works; unknown counts as yes. */
export function useIsReached(deploymentId: string): (platform: PlatformId) => boolean {
  const { data } = trpc.connections.list.useQuery();
  return (platform) => {
    if (data === undefined || !PLATFORM_CAPABILITIES[platform]?.requires.includes('connection')) return true;
    return data.items.some(
      (one) =>
        one.kind === 'platform' &&
        one.provider === platform &&
        one.state !== 'broken' &&
        one.deployments.some(({ id }) => id === deploymentId),
    );
  };
}
