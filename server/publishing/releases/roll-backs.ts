import type { ClientSession } from 'mongoose';
import { ROLL_BACKS_KEPT } from '../../../routers/schemas/limits.ts';
import type { ReleaseList, RollBack } from '../../../routers/schemas/releases.ts';
import type { AccountContext, Addresses } from '../../context.ts';
import type { DeploymentRow } from '../../database/models/publishing/deployment.ts';
import type { ReleaseDoc } from '../../database/models/publishing/release.ts';
import { RollBackModel, type RollBackRow } from '../../database/models/publishing/roll-back.ts';
import { newId } from '../../database/mongo.ts';
import { siteOf, siteUrlOf } from '../../database/site-address.ts';
import { afterCursor, encodeCursor } from '../../lib/page-cursor.ts';
import { joinDeployment, type WithDeployment } from './join-deployment.ts';

/** Between two releases of a list somebody may go back and forth; this many are shown. */
const ROLL_BACKS_MAX = 100;

export type NewRollBack = { from: number; to: ReleaseDoc; createdBy: string; at: Date };

/** A deployment keeps as many rollbacks as releases; older ones are deleted a few at a time. */
const FORGOTTEN_AT_ONCE = 10;

/**
 * Records a rollback in the history, in the transaction that starts it, and deletes rollbacks that are too old for the
 * history.
 */
export async function recordRollBack(session: ClientSession, { from, to, createdBy, at }: NewRollBack): Promise<void> {
  const { accountId, deploymentId, _id: toReleaseId, number: toNumber } = to;
  const fields = { accountId, deploymentId, fromNumber: from, toReleaseId, toNumber, createdBy, createdAt: at };
  await RollBackModel.create([{ _id: newId(), ...fields }], { session });
  const old = await RollBackModel.find({ accountId, deploymentId }, { _id: 1 })
    .sort({ createdAt: -1 })
    .skip(ROLL_BACKS_KEPT)
    .limit(FORGOTTEN_AT_ONCE)
    .hint('account_deployment_newest')
    .session(session)
    .lean();
  if (old.length === 0) return;
  await RollBackModel.deleteMany({ accountId, _id: { $in: old.map(({ _id }) => _id) } }, { session });
}

/** A part of the history, from after `after` to `until`; null for an open end. */
export type Span = { after: Date | null; until: Date | null };

/** Returns the rollbacks of an account, or of one deployment, in a part of its history; newest first. */
export async function findRollBacks(
  accountId: string,
  deploymentId: string | undefined,
  { after, until }: Span,
): Promise<RollBackWithDeployment[]> {
  const time = { ...(after !== null && { $gt: after }), ...(until !== null && { $lte: until }) };
  const filter = after === null && until === null ? {} : { createdAt: time };
  return readRows({ accountId, deploymentId, filter, count: ROLL_BACKS_MAX });
}

/** Returns a page of the rollbacks alone, of an account or of one deployment; newest first. */
export async function listRollBacks(
  ctx: AccountContext,
  { deploymentId, cursor, limit }: { deploymentId?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<Pick<ReleaseList, 'rollBacks' | 'nextCursor'>> {
  const { accountId } = ctx.actor;
  const rows = await readRows({ accountId, deploymentId, filter: afterCursor(cursor), count: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rollBacks: page.flatMap((row) => toRollBacks(ctx.providers.addresses, row)),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last) : null,
  };
}

type RollBackWithDeployment = WithDeployment<RollBackRow>;
type Wanted = { accountId: string; deploymentId: string | undefined; filter: Record<string, unknown>; count: number };

function readRows({ accountId, deploymentId, filter, count }: Wanted): Promise<RollBackWithDeployment[]> {
  return RollBackModel.aggregate<RollBackWithDeployment>([
    { $match: { accountId, ...(deploymentId !== undefined && { deploymentId }), ...filter } },
    { $sort: { createdAt: -1, _id: -1 } },
    { $limit: count },
    ...joinDeployment(accountId),
  ]).hint(deploymentId === undefined ? 'account_newest' : 'account_deployment_newest');
}

/** Returns the rollback for the history; nothing when its deployment is gone. */
export function toRollBacks(addresses: Addresses, row: RollBackWithDeployment): RollBack[] {
  return row.deployment.map((deployment) => toRollBack(addresses, row, deployment));
}

/** Returns the document with its deployment's name and address. */
function toRollBack(addresses: Addresses, doc: RollBackRow, deployment: DeploymentRow): RollBack {
  return {
    id: doc._id,
    deploymentId: doc.deploymentId,
    deploymentName: deployment.name,
    deploymentSlug: deployment.slug,
    url: siteUrlOf(addresses, siteOf(deployment)),
    fromNumber: doc.fromNumber,
    toNumber: doc.toNumber,
    createdBy: doc.createdBy,
    state: doc.state,
    createdAt: doc.createdAt,
    endedAt: doc.endedAt ?? null,
  };
}
