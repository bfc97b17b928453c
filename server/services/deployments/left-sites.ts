import type { ClientSession } from 'mongoose';
import type { DismissLeftSiteInput, LeftSite } from '../../../routers/schemas/deployments.ts';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import type { AccountContext } from '../../context.ts';
import type { DestinationDoc } from '../../database/models/destination.ts';
import { UserModel } from '../../database/models/user.ts';
import { newId } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { storedRef } from '../releases/platform-call.ts';

/** Of those that nobody has dismissed the newest are kept. */
const LEFT_SITES_KEPT = 50;

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
  await tell(session, accountId, {
    title: `${name} stays at ${title}`,
    url: url ?? null,
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
  await tell(session, accountId, {
    title: `${name} is offline, and its files are still there`,
    url: kept,
    message: `${kept} stays: Fairlead may not delete it. Delete it there when you no longer need it.`,
    variant: 'destructive',
  });
}

type Told = Omit<LeftSite, 'id'> & { variant?: 'destructive' };

/** At once on the screen, and among the deployments until it is dismissed: its address is known nowhere else any more. */
async function tell(session: ClientSession, accountId: string, told: Told): Promise<void> {
  const { title, message, url, variant } = told;
  // What a platform's API calls an address is followed by a click.
  const left = { _id: newId(), title, message, url: url !== null && /^https?:\/\//.test(url) ? url : null };
  await publishEvent(session, accountId, { type: 'notification', title, message, ...(variant && { variant }) });
  await UserModel.updateOne(
    { _id: accountId },
    { $push: { leftSites: { $each: [left], $slice: -LEFT_SITES_KEPT } } },
    { session },
  );
}

/** Lists what stays at platforms of what the account has deleted, the newest first. */
export async function listLeftSites({ actor }: AccountContext): Promise<{ items: LeftSite[] }> {
  const user = await UserModel.findOne({ _id: actor.accountId }, { leftSites: 1 }).lean();
  const left = user?.leftSites ?? [];
  return {
    items: left.map(({ _id: id, title, message, url }) => ({ id, title, message, url: url ?? null })).reverse(),
  };
}

/** The person has read it; one that was dismissed before is no error. */
export async function dismissLeftSite({ actor }: AccountContext, { id }: DismissLeftSiteInput): Promise<Done> {
  await UserModel.updateOne({ _id: actor.accountId }, { $pull: { leftSites: { _id: id } } });
  return DONE;
}
