import type { ClientSession } from 'mongoose';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { RELEASES_KEPT } from '../../../routers/schemas/limits.ts';
import { rowsOf } from '../../database/cursor-rows.ts';
import { MAINTENANCE } from '../../database/models/account-scope.ts';
import { DeploymentModel, type DeploymentRow } from '../../database/models/publishing/deployment.ts';
import { PublicationModel } from '../../database/models/publishing/publication.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { RollBackModel } from '../../database/models/publishing/roll-back.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS } from '../../lib/durations.ts';

/** Releases removed in one transaction: its writes are kept small (MongoDB manual, production considerations). */
const AT_ONCE = 100;

type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Removes of every deployment the releases older than its newest ones, row and log, and tells its owner once how many
 * there were; after a crash, how many were left then. The release that visitors have stays, and so do those that they
 * had within the last day. The files are collected later.
 */
export async function removeOldReleases(now: Date, signal: AbortSignal, inTransaction: InTransaction): Promise<void> {
  const deployments = DeploymentModel.find({ releaseCount: { $gt: RELEASES_KEPT } }, { accountId: 1, name: 1 })
    .setOptions(MAINTENANCE)
    .hint('old_releases')
    .lean()
    .cursor();
  for await (const deployment of rowsOf(deployments)) {
    let removed = 0;
    for (let isOver = false; !isOver; ) {
      signal.throwIfAborted();
      const ids = await inTransaction(async (session) => {
        const found = await findOld(session, deployment, now);
        await remove(session, deployment, found.slice(0, AT_ONCE));
        const isLast = found.length <= AT_ONCE;
        if (isLast) await notifyRemoved(session, deployment, removed + found.length);
        return found;
      });
      removed += AT_ONCE;
      isOver = ids.length <= AT_ONCE;
    }
  }
}

type OfDeployment = Pick<DeploymentRow, '_id' | 'accountId' | 'name'>;

/** Returns the ids of the oldest, one more than are removed at once: without it these are the last. */
async function findOld(session: ClientSession, { _id, accountId }: OfDeployment, now: Date): Promise<string[]> {
  // While a release is under way, the one that it replaces may have to come back.
  const settled = { _id, accountId, state: { $in: ['draft', 'live', 'failed'] } } as const;
  const deployment = await DeploymentModel.findOne(settled).session(session).lean();
  if (deployment === null) return [];
  const { currentReleaseId, destinations, releaseCount } = deployment;
  const shown = [currentReleaseId, ...destinations.map(({ releaseId }) => releaseId)];
  const old = {
    deploymentId: _id,
    accountId,
    _id: { $nin: shown.filter((id) => typeof id === 'string') },
    number: { $lte: releaseCount - RELEASES_KEPT },
    // An open page of it still asks for its files.
    servedUntil: { $not: { $gt: new Date(now.getTime() - DAY_MS) } },
  };
  const rows = await ReleaseModel.find(old, { _id: 1 })
    .sort({ number: 1 })
    .limit(AT_ONCE + 1)
    .session(session)
    .lean();
  return rows.map((row) => row._id);
}

async function remove(session: ClientSession, { _id, accountId }: OfDeployment, ids: string[]): Promise<void> {
  await PublicationModel.deleteMany({ accountId, releaseId: { $in: ids } }, { session });
  await RollBackModel.deleteMany({ accountId, deploymentId: _id, toReleaseId: { $in: ids } }, { session });
  await ReleaseModel.deleteMany({ accountId, _id: { $in: ids } }, { session });
}

async function notifyRemoved(
  session: ClientSession,
  { _id, accountId, name }: OfDeployment,
  count: number,
): Promise<void> {
  if (count === 0) return;
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'Old releases removed',
    message: `The ${RELEASES_KEPT} newest releases of ${name} are kept. Removed, with their logs: ${formatCount(count, 'older release')}.`,
    deploymentId: _id,
  });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: _id });
}
