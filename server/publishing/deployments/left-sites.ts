import type { ClientSession } from 'mongoose';
import type { DismissLeftSiteInput, LeftSite } from '../../../routers/schemas/deployments.ts';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORM_IDS } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { storedRef } from '../../connections/platform-call.ts';
import type { AccountContext } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { ConnectionModel } from '../../database/models/connection.ts';
import { DeploymentModel } from '../../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import { newId } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';

/** The newest are kept among those that the owner has not dismissed. */
const LEFT_SITES_KEPT = 50;

/** An account may have thousands of deployments, and a mail names no more of them. */
const LISTED_MAX = 200;

/** The owner of the site, and the name of its deployment. */
type Owned = { accountId: string; name: string };

type PublishedSite = Pick<DestinationDoc, 'platform' | 'url' | 'site' | 'wantedName'>;

/** The platforms that a site outlives its account at. */
const ELSEWHERE = PLATFORM_IDS.filter((id) => !PLATFORMS[id].isServedHere && !PLATFORMS[id].isSimulated);

/** The outcome of removing a site; `kept` is the address of a part that its platform did not let Fairlead delete. */
export type Removal = { isLeft: boolean; kept: string | null };

/**
 * Tells the owner of a site that stays at its platform. The deployment's id is left out, since there may be nothing
 * left to open.
 */
export async function notifyLeft(
  session: ClientSession,
  { accountId, name, isWanted }: Owned & { isWanted: boolean },
  destination: PublishedSite,
): Promise<void> {
  const { title } = PLATFORMS[destination.platform];
  const { site, url, rest } = remainsOf(destination);
  await notifyLeftSite(session, accountId, {
    title: `${name} stays at ${title}`,
    url,
    ...(isWanted || isTheirs(destination)
      ? { message: `${site} was left as it is. When you no longer need it, delete the site at ${title}${rest}.` }
      : {
          message: `${site} could not be removed: Fairlead can no longer reach the account there. Delete the site at ${title}${rest}.`,
          variant: 'destructive',
        }),
  });
}

/**
 * Returns the words for what a platform keeps: the site by its address, or by the name that was requested for it, and
 * the repository that was made for it.
 */
export function remainsOf({ platform, url: assigned, site: stored, wantedName }: PublishedSite) {
  const { url: noted, wanted = wantedName ?? null, repository, isMade } = storedRef(stored) ?? {};
  const url = assigned ?? (typeof noted === 'string' ? noted : null);
  const { furtherConnections = [] } = PLATFORM_CAPABILITIES[platform] ?? {};
  const { title: keeper } = PLATFORMS[furtherConnections[0]?.provider ?? platform];
  return {
    site: url ?? (wanted === null ? 'Its site' : `The site requested as “${wanted}”`),
    url,
    rest: isMade === true && typeof repository === 'string' ? ` and its repository ${repository} at ${keeper}` : '',
  };
}

/** Returns whether a person publishes there by hand, so that nobody else can delete the site. */
function isTheirs({ platform }: Pick<DestinationDoc, 'platform'>): boolean {
  return PLATFORM_CAPABILITIES[platform]?.publish === 'handOff';
}

/**
 * Lists in words the sites that the newest deployments of an account have at platforms: those that Fairlead cannot
 * remove, and those that it can unless their platform refuses.
 */
export async function listSitesElsewhere(session: ClientSession, accountId: string): Promise<string[]> {
  const connections = await ConnectionModel.find({ accountId, state: 'ok' }, { _id: 1 }).session(session).lean();
  const working = new Set(connections.map(({ _id }) => _id));
  const deployments = await DeploymentModel.find({ accountId, 'destinations.platform': { $in: ELSEWHERE } })
    .select({ destinations: 1 })
    .sort({ updatedAt: -1 })
    .limit(LISTED_MAX + 1)
    .session(session)
    .lean();
  const sites = deployments
    .slice(0, LISTED_MAX)
    .flatMap(({ destinations }) => destinations)
    .filter(
      ({ platform, state, url, site }) =>
        ELSEWHERE.includes(platform) && state !== 'removed' && (url ?? site ?? null) !== null,
    )
    .map((destination) => {
      const { site, rest } = remainsOf(destination);
      const stays = isTheirs(destination) || !working.has(destination.connectionId ?? '');
      return { stays, text: `${site} at ${PLATFORMS[destination.platform].title}${rest}` };
    });
  const listed = (introduction: string, which: boolean) => {
    const texts = sites.filter(({ stays }) => stays === which).map(({ text }) => text);
    return texts.length === 0 ? [] : [[introduction, ...texts].join('\n')];
  };
  return [
    ...listed('Fairlead cannot take these sites down. They stay until you delete them yourself:', true),
    ...listed(
      'These sites are being taken down at their platforms. Look at them tomorrow, and delete those that are still there:',
      false,
    ),
    ...(deployments.length > LISTED_MAX
      ? ['Earlier deployments may have more: look at each platform that you used.']
      : []),
  ];
}

/** Tells the owner what is left of a removed site, with its address. */
export async function notifyKept(session: ClientSession, { accountId, name }: Owned, kept: string): Promise<void> {
  await notifyLeftSite(session, accountId, {
    title: `${name} is offline, but its files are still there`,
    url: kept,
    message: `${kept} stays: Fairlead is not allowed to delete it. Delete it there when you no longer need it.`,
    variant: 'destructive',
  });
}

type LeftSiteNotice = Omit<LeftSite, 'id'> & { variant?: 'destructive' };

/**
 * Notifies the owner at once, and lists the site among the deployments until it is dismissed, because its address is
 * recorded nowhere else.
 */
async function notifyLeftSite(session: ClientSession, accountId: string, notice: LeftSiteNotice): Promise<void> {
  const { title, message, url, variant } = notice;
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
