import type { ClientSession } from 'mongoose';
import type { DismissLeftSiteInput, LeftSite } from '../../../routers/schemas/deployments.ts';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { storedRef } from '../../connections/platform-call.ts';
import type { AccountContext } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import { newId } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';

/** The newest are kept among those that the owner has not dismissed. */
const LEFT_SITES_KEPT = 50;

/** The owner of the site, and the name of its deployment. */
type Owned = { accountId: string; name: string };

/** The outcome of removing a site; `kept` is the address of a part that its platform did not let Fairlead delete. */
export type Removal = { isLeft: boolean; kept: string | null };

/**
 * Tells the owner of a site that stays at its platform. The deployment's id is left out, since there may be nothing
 * left to open.
 */
export async function notifyLeft(
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
  await tell(session, accountId, {
    title: `${name} stays at ${title}`,
    url: url ?? null,
    ...(isWanted || isTheirs
      ? { message: `${site} was left as it is. When you no longer need it, delete the site at ${title}${rest}.` }
      : {
          message: `${site} could not be removed: Fairlead can no longer reach the account there. Delete the site at ${title}${rest}.`,
          variant: 'destructive',
        }),
  });
}

/** Tells the owner what is left of a removed site, with its address. */
export async function notifyKept(session: ClientSession, { accountId, name }: Owned, kept: string): Promise<void> {
  await tell(session, accountId, {
    title: `${name} is offline, but its files are still there`,
    url: kept,
    message: `${kept} stays: Fairlead is not allowed to delete it. Delete it there when you no longer need it.`,
    variant: 'destructive',
  });
}

type Told = Omit<LeftSite, 'id'> & { variant?: 'destructive' };

/**
 * Notifies the owner at once, and lists the site among the deployments until it is dismissed, because its address is
 * recorded nowhere else.
 */
async function tell(session: ClientSession, accountId: string, told: Told): Promise<void> {
  const { title, message, url, variant } = told;
  // Addresses from a platform's API become links, so only web addresses are accepted.
  const left = { _id: newId(), title, message, url: url !== null && /^https?:\/\//.test(url) ? url : null };
  await publishEvent(session, accountId, { type: 'notification', title, message, ...(variant && { variant }) });
  await UserModel.updateOne(
    { _id: accountId },
    { $push: { leftSites: { $each: [left], $slice: -LEFT_SITES_KEPT } } },
    { session },
  );
}

/** Lists sites of deleted deployments that are still at their platforms, newest first. */
export async function listLeftSites({ actor }: AccountContext): Promise<{ items: LeftSite[] }> {
  const user = await UserModel.findOne({ _id: actor.accountId }, { leftSites: 1 }).lean();
  const left = user?.leftSites ?? [];
  return {
    items: left.map(({ _id: id, title, message, url }) => ({ id, title, message, url: url ?? null })).reverse(),
  };
}

/** Removes a site that the person has read about; one that was dismissed before is no error. */
export async function dismissLeftSite({ actor }: AccountContext, { id }: DismissLeftSiteInput): Promise<Done> {
  await UserModel.updateOne({ _id: actor.accountId }, { $pull: { leftSites: { _id: id } } });
  return DONE;
}
