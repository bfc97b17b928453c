import type { Connection } from '../../routers/schemas/connections.ts';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { formatAddress } from './format.ts';

export type Published = Pick<Deployment, 'currentRelease' | 'destinations'>;

/** Returns whether the address of a deployment is reserved when that is deleted. */
export function isAddressReserved({ currentRelease, destinations }: Published): boolean {
  return currentRelease !== null && destinations.some(({ platform }) => PLATFORMS[platform].isServedHere);
}

/** Describes the effect of a deletion on the site at each platform. */
export function siteTexts(
  { currentRelease, destinations }: Published,
  isReachedAt: (platform: PlatformId) => boolean,
): string[] {
  const published = destinations.filter(({ mayHaveSite }) => mayHaveSite || currentRelease !== null);
  return published.flatMap((one) => siteText(one, isReachedAt) ?? []);
}

/** Describes what stays at platforms when the deployment is deleted. */
export function stayTexts(deployment: Published, isReachedAt: (platform: PlatformId) => boolean): string[] {
  return siteTexts(deployment, isReachedAt).filter((text) => text.includes(' stays '));
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
  const isOpen = !isLeft && isReachedAt(platform);
  const sources = furtherConnections.filter(({ provider }) => !isOpen || !isReachedAt(provider));
  const { title: keeper } = PLATFORMS[furtherConnections[0]?.provider ?? platform];
  return [
    isOpen
      ? `is taken down at ${title}.`
      : `stays at ${title}, ${isLeft ? 'as you chose' : 'which Fairlead can no longer reach: take it down there'}.`,
    ...(named !== undefined
      ? [
          `The ${named.what} ${named.name} stays at ${keeper}${isOpen && sources.length === 0 ? ', without the site' : ''}.`,
        ]
      : sources.map(({ provider }) => `Its repository stays at ${PLATFORMS[provider].title}.`)),
  ].join(' ');
}

/** Returns whether a connection that the deployment uses at a platform still works; unknown counts as yes. */
export function isReached(
  connections: readonly Connection[] | undefined,
  platform: PlatformId,
  deploymentId: string,
): boolean {
  if (connections === undefined || !PLATFORM_CAPABILITIES[platform]?.requires.includes('connection')) return true;
  return connections.some(
    (one) =>
      one.kind === 'platform' &&
      one.provider === platform &&
      one.state !== 'broken' &&
      one.deployments.some(({ id }) => id === deploymentId),
  );
}
