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
 * Removes of every deployment the releases older than its newest ones, row and log, and tells its owner how many there
 * were. The release that visitors have stays, and so do those that they had within the last day. The files are
 * collected later.
 */
export async function removeOldReleases(now: Date, signal: AbortSignal, inTransaction: InTransaction): Promise<void> {
  const deployments = DeploymentModel.find({ releaseCount: { $gt: RELEASES_KEPT } }, { accountId: 1 })
    .setOptions(MAINTENANCE)
    .hint('old_releases')
    .lean()
    .cursor();
  for await (const { _id, accountId } of rowsOf(deployments)) {
    for (let count = AT_ONCE; count === AT_ONCE; ) {
      signal.throwIfAborted();
      count = await inTransaction((session) => removeSome(session, { _id, accountId }, now));
    }
  }
}

async function removeSome(
  session: ClientSession,
  { _id, accountId }: Pick<DeploymentRow, '_id' | 'accountId'>,
  now: Date,
): Promise<number> {
  // While a release is under way, the one that it replaces may have to come back.
  const settled = { _id, accountId, state: { $in: ['draft', 'live', 'failed'] } } as const;
  const deployment = await DeploymentModel.findOne(settled).session(session).lean();
  if (deployment === null) return 0;
  const { currentReleaseId, destinations, name, releaseCount } = deployment;
  const shown = [currentReleaseId, ...destinations.map(({ releaseId }) => releaseId)];
  const old = {
    deploymentId: _id,
    accountId,
    _id: { $nin: shown.filter((id) => typeof id === 'string') },
    number: { $lte: releaseCount - RELEASES_KEPT },
    // An open page of it still asks for its files.
    servedUntil: { $not: { $gt: new Date(now.getTime() - DAY_MS) } },
  };
  const rows = await ReleaseModel.find(old, { _id: 1 }).sort({ number: 1 }).limit(AT_ONCE).session(session).lean();
  if (rows.length === 0) return 0;
  const ids = rows.map((row) => row._id);
  const ofReleases = { accountId, releaseId: { $in: ids } };
  await PublicationModel.deleteMany(ofReleases, { session });
  await RollBackModel.deleteMany({ accountId, deploymentId: _id, toReleaseId: { $in: ids } }, { session });
  await ReleaseModel.deleteMany({ accountId, _id: { $in: ids } }, { session });
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'Old releases removed',
    message: `The ${RELEASES_KEPT} newest releases of ${name} are kept. Removed, with their logs: ${formatCount(ids.length, 'older release')}.`,
    deploymentId: _id,
  });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: _id });
  return ids.length;
}
