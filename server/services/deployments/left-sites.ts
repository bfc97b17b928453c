import type { ClientSession } from 'mongoose';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { publishEvent } from '../../events/publish.ts';
import type { DestinationDoc } from '../../models/destination.ts';
import { storedRef } from '../releases/platform-call.ts';

/** Whose site it was, and what it was called. */
type Owned = { accountId: string; name: string };

/** What became of a site that was to be taken off; `kept` is the address of what its platform did not let us delete. */
export type Removal = { isLeft: boolean; kept: string | null };

/** Tells the owner of a site that stays at its platform. Without the deployment's id: there may be nothing left to open. */
export async function tellLeft(
  session: ClientSession,
  { accountId, name, isWanted }: Owned & { isWanted: boolean },
  { platform, url, site: stored }: Pick<DestinationDoc, 'platform' | 'url' | 'site'>,
): Promise<void> {
  const { title } = PLATFORMS[platform];
  const site = url ?? 'Its site';
  const { repository, isMade } = storedRef(stored) ?? {};
  const { publish, furtherConnections = [] } = PLATFORM_CAPABILITIES[platform] ?? {};
  const { title: keeper } = PLATFORMS[furtherConnections[0]?.provider ?? platform];
  const rest =
    isMade === true && typeof repository === 'string' ? ` and its repository ${repository} at ${keeper}` : '';
  const isTheirs = publish === 'handOff';
  await publishEvent(session, accountId, {
    type: 'notification',
    title: `${name} stays at ${title}`,
    ...(isWanted || isTheirs
      ? { message: `${site} was left as it is. When you no longer need it, delete the site at ${title}${rest}.` }
      : {
          message: `${site} could not be taken off: Fairlead can no longer reach the account there. Delete the site at ${title}${rest}.`,
          variant: 'destructive',
        }),
  });
}

/** Tells the owner of a site that is off what stays of it all the same, with its address. */
export async function tellKept(session: ClientSession, { accountId, name }: Owned, kept: string): Promise<void> {
  await publishEvent(session, accountId, {
    type: 'notification',
    title: `${name} is offline, and its files are still there`,
    message: `${kept} stays: Fairlead may not delete it. Delete it there when you no longer need it.`,
    variant: 'destructive',
  });
}
