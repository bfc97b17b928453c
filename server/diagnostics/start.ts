import type { RunDiagnosticsInput } from '../../routers/schemas/diagnostics.ts';
import { mayUse } from '../../routers/schemas/plans.ts';
import { countAgainst } from '../account/rate-limit.ts';
import type { AccountContext } from '../context.ts';
import { DiagnosticModel } from '../database/models/diagnostic.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { newId, transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { HOUR_MS, MINUTE_MS } from '../lib/durations.ts';
import { notFound } from '../lib/errors.ts';
import { currentPlan } from '../plans/quota.ts';
import { enqueueJob } from '../queue/queue.ts';
import { REPORTS_MAX } from './read.ts';
import { hostOfDeployment } from './subject.ts';

/** Each asks up to three hundred questions of name servers, and makes some dozens of visits. */
const REPORTS_PER_HOUR = 60;
/** A report that runs longer has lost its worker, and does not prevent another. */
const RUNNING_MS = 10 * MINUTE_MS;

/**
 * Starts a report on a name or a deployment of the account, and returns it; its checks arrive one by one. If one runs
 * for the same subject, that is returned. The plan decides whether all checks run, or the three of every plan. Throws
 * `not_found`, `rate_limited`.
 */
export async function runDiagnostics(ctx: AccountContext, input: RunDiagnosticsInput): Promise<{ reportId: string }> {
  const { accountId } = ctx.actor;
  const subject = await subjectOf(ctx, input);
  await countAgainst({ name: 'diagnostics', key: accountId, limit: REPORTS_PER_HOUR, windowMs: HOUR_MS });
  const isWhole = mayUse(await currentPlan(ctx), 'allDiagnostics');
  const startedAt = ctx.now();
  const since = new Date(startedAt.getTime() - RUNNING_MS);
  const { deploymentId, subjectKey } = subject;
  const running = { accountId, subjectKey, startedAt: { $gt: since }, state: 'running' as const };
  const reportId = await transaction(async (session) => {
    // First: of two that start at once one conflicts on the account, runs again and finds the other one's report.
    await publishEvent(session, accountId, { type: 'analytics_update', ...(deploymentId && { deploymentId }) });
    const known = await DiagnosticModel.findOne(running, { _id: 1 }).session(session).hint('account_subject').lean();
    if (known !== null) return known._id;
    const reportId = newId();
    const [doc] = [{ _id: reportId, accountId, ...subject, isWhole, startedAt, checks: [], facts: [], changes: [] }];
    await DiagnosticModel.create([doc], { session });
    await enqueueJob(session, {
      ...{ name: 'run-diagnostics', payload: { reportId }, accountId, key: `run-diagnostics ${accountId}` },
      maxAttempts: 3,
    });
    return reportId;
  });
  await removeOlder(accountId);
  return { reportId };
}

async function subjectOf(ctx: AccountContext, input: RunDiagnosticsInput) {
  if ('name' in input) return { subjectKey: `name ${input.name}`, name: input.name, deploymentId: null };
  const { deploymentId } = input;
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId: ctx.actor.accountId }).lean();
  if (deployment === null || deployment.state === 'deleting') throw notFound('deployment');
  return { subjectKey: `deployment ${deploymentId}`, name: hostOfDeployment(ctx, deployment), deploymentId };
}

/** Removes the oldest reports beyond the number that is kept. */
async function removeOlder(accountId: string): Promise<void> {
  const older = DiagnosticModel.find({ accountId }, { _id: 1 }).sort({ startedAt: -1, _id: -1 }).skip(REPORTS_MAX);
  const ids = (await older.hint('account_newest').lean()).map(({ _id }) => _id);
  if (ids.length > 0) await DiagnosticModel.deleteMany({ accountId, _id: { $in: ids } });
}
