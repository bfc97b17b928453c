import type { ClientSession } from 'mongoose';
import type { DeploymentHealth, HealthList } from '../../routers/schemas/diagnostics.ts';
import { withAskingSlots } from '../account/asking-slots.ts';
import { countAgainst } from '../account/rate-limit.ts';
import type { AccountContext } from '../context.ts';
import { rowsOf } from '../database/cursor-rows.ts';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { DeploymentHealthModel, type DeploymentHealthRow } from '../database/models/publishing/deployment-health.ts';
import { transaction } from '../database/mongo.ts';
import { bringForward } from '../database/move-state.ts';
import { publishEvent } from '../events/publish.ts';
import { HOUR_MS, MINUTE_MS } from '../lib/durations.ts';
import { notFound } from '../lib/errors.ts';
import { isAnother, nextHealthCheckAt } from '../publishing/publication/health-schedule.ts';
import { enqueueJob } from '../queue/queue.ts';
import type { Step } from './checks/run.ts';
import { runChecksOf } from './run.ts';
import { findSubject } from './subject.ts';

/** The limit of an account: each is three checks. */
const CHECKS_PER_HOUR = 240;
/** Even with one more turn it ends before the next run: every five minutes (server/queue/recurring.ts). */
const RUN_MS = 4 * MINUTE_MS;
/** A deployment whose check was lost is due again after this. */
const LOST_MS = HOUR_MS;
const SEEN_MAX = 300;

type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Returns the last results of the three checks of every plan for these deployments; nothing for one not checked yet.
 */
export async function readHealth(
  ctx: AccountContext,
  { deploymentIds }: { deploymentIds: string[] },
): Promise<HealthList> {
  const { accountId } = ctx.actor;
  const rows = await DeploymentHealthModel.find({ accountId, _id: { $in: deploymentIds } })
    .hint('account')
    .lean();
  return { items: rows.map(toHealth) };
}

/** Checks a deployment now, and returns the result. Throws `not_found`, `rate_limited`. */
export async function checkHealth(
  ctx: AccountContext,
  { deploymentId }: { deploymentId: string },
): Promise<DeploymentHealth> {
  const { accountId } = ctx.actor;
  if ((await DeploymentModel.exists({ _id: deploymentId, accountId })) === null) throw notFound('deployment');
  await countAgainst({ name: 'health-checks', key: accountId, limit: CHECKS_PER_HOUR, windowMs: HOUR_MS });
  const work = () =>
    lookAtHealth(ctx, deploymentId, { signal: new AbortController().signal, inTransaction: transaction });
  const health = await withAskingSlots(ctx, { whom: 'name servers', one: `deployment ${deploymentId}` }, work);
  if (health === null) throw notFound('deployment');
  return health;
}

/**
 * Runs the three checks of a deployment and stores the results; null when it is gone. Open tabs are notified
 * only of a change.
 */
export async function lookAtHealth(
  ctx: AccountContext,
  deploymentId: string,
  { signal, inTransaction }: { signal: AbortSignal; inTransaction: InTransaction },
): Promise<DeploymentHealth | null> {
  const { accountId } = ctx.actor;
  const diagnosed = await findSubject(ctx, { name: '', deploymentId, isAsVisited: true });
  if (diagnosed === null) return null;
  const checks: DeploymentHealth['checks'] = [];
  const onStep = async ({ result: { id, verdict, seen } }: Step): Promise<void> => {
    if (id === 'resolves' || id === 'certificate' || id === 'url-up')
      checks.push({ id, verdict, seen: seen.slice(0, SEEN_MAX) });
  };
  await runChecksOf(ctx, { diagnosed, before: null, isWhole: false }, { signal, onStep });
  return inTransaction((session) => saveHealth(session, ctx, { accountId, deploymentId, checks }));
}

async function saveHealth(
  session: ClientSession,
  ctx: AccountContext,
  { accountId, deploymentId, checks }: { accountId: string } & Pick<DeploymentHealth, 'deploymentId' | 'checks'>,
): Promise<DeploymentHealth | null> {
  const key = { _id: deploymentId, accountId };
  if ((await DeploymentModel.exists(key).session(session)) === null) return null;
  const now = ctx.now();
  const before = await DeploymentHealthModel.findOne(key).session(session).lean();
  const isChange = before === null || isAnother(before.checks, checks);
  const changedAt = isChange ? now : before.changedAt;
  const fields = { checks, checkedAt: now, changedAt, nextCheckAt: nextHealthCheckAt(changedAt, now) };
  await DeploymentHealthModel.updateOne(key, { $set: fields }, { session, upsert: true });
  if (isChange && checks.some(({ verdict }) => verdict === 'fail'))
    await bringForward(session, { accountId, deploymentId });
  if (isChange) await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
  return { deploymentId, checks, checkedAt: now, nextCheckAt: fields.nextCheckAt };
}

/**
 * Enqueues a check of every due deployment, the longest due first; the rest is left to the next run. Accounts take
 * turns in the queue, so that one with thousands keeps nobody waiting.
 */
export async function enqueueDueHealthChecks(
  now: Date,
  signal: AbortSignal,
  inTransaction: InTransaction,
): Promise<number> {
  const over = AbortSignal.timeout(RUN_MS);
  const due = DeploymentHealthModel.find({ nextCheckAt: { $lte: now } }, { accountId: 1 })
    .sort({ nextCheckAt: 1 })
    .setOptions(MAINTENANCE)
    .hint('due')
    .lean()
    .cursor({ batchSize: 100 });
  let count = 0;
  for await (const { _id: deploymentId, accountId } of rowsOf<Pick<DeploymentHealthRow, '_id' | 'accountId'>>(due)) {
    signal.throwIfAborted();
    if (over.aborted) break;
    await inTransaction((session) => enqueueLook(session, { accountId, deploymentId, now }));
    count += 1;
  }
  return count;
}

async function enqueueLook(
  session: ClientSession,
  { accountId, deploymentId, now }: { accountId: string; deploymentId: string; now: Date },
): Promise<void> {
  const key = `check-deployment ${deploymentId}`;
  await enqueueJob(session, {
    ...{ name: 'check-deployment', payload: { deploymentId }, accountId, key, dedupeKey: key },
  });
  const nextCheckAt = new Date(now.getTime() + LOST_MS);
  await DeploymentHealthModel.updateOne({ _id: deploymentId, accountId }, { $set: { nextCheckAt } }, { session });
}

function toHealth({ _id: deploymentId, checks, checkedAt, nextCheckAt }: DeploymentHealthRow): DeploymentHealth {
  return {
    deploymentId,
    checks: checks.map(({ id, verdict, seen }) => ({ id, verdict, seen })),
    ...{ checkedAt: checkedAt ?? null, nextCheckAt },
  };
}
