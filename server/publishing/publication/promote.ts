import type { ClientSession } from 'mongoose';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { RUNNING_RELEASE_STATES } from '../../../routers/schemas/state-names.ts';
import { queueMail } from '../../account/mail/queue-mail.ts';
import type { Providers } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { type DeploymentDoc, DeploymentModel } from '../../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import { type ReleaseDoc, ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import { RollBackModel } from '../../database/models/publishing/roll-back.ts';
import { moveDeployment, moveRelease } from '../../database/move-state.ts';
import { siteOf, siteUrlOf } from '../../database/site-address.ts';
import { publishEvent } from '../../events/publish.ts';
import { AppError } from '../../lib/errors.ts';
import { scheduleHealthCheck } from './health-schedule.ts';
import { callOffElsewhere, publishElsewhere, resumeElsewhere } from './other-destinations.ts';
import { fieldsBelow, type Wanted } from './release-work.ts';
import { wasLiveBefore } from './was-live-before.ts';

/**
 * Switches the deployment to a release that it does not serve. Throws `state_changed` when that was cancelled before.
 *
 * What is here happens at the primary destination alone, whose publication decides what the release and the deployment
 * are. The functions are part of the caller's transaction. The deployment's pointer (`currentReleaseId`) decides what is
 * served: it is switched before the second half of verification and put back when that fails. The states of the two
 * releases follow when the outcome is known.
 */
export async function switchTo(session: ClientSession, release: ReleaseRow): Promise<void> {
  const { accountId, deploymentId, _id: id } = release;
  const before = await DeploymentModel.findOneAndUpdate(
    { _id: deploymentId, accountId, state: 'deploying', currentReleaseId: { $ne: id } },
    { $set: { currentReleaseId: id } },
    { session, projection: { currentReleaseId: 1 } },
  ).lean();
  const noted = await ReleaseModel.updateOne(
    { _id: id, accountId, state: 'verifying', cancelRequestedAt: null },
    { $set: { replacedReleaseId: before?.currentReleaseId ?? null } },
    { session },
  );
  if (before === null || noted.matchedCount === 0) {
    throw new AppError('state_changed', 'This release was cancelled before it could go live.');
  }
}

/**
 * Makes the release the live one, with what becomes of its destination: the one before it can be rolled back to, and the
 * other destinations follow.
 */
export async function makeLive(
  session: ClientSession,
  providers: Providers,
  { release, destination }: Wanted,
  there: Pick<DestinationDoc, 'state' | 'error' | 'releaseId'>,
  now: Date,
): Promise<void> {
  const { accountId, deploymentId, _id: id } = release;
  const set = {
    verifiedAt: release.verifiedAt ?? now,
    finishedAt: release.finishedAt ?? now,
    liveSince: now,
    servedUntil: null,
    error: null,
  };
  const live = await moveRelease(session, { id, accountId, from: ['verifying'], to: 'live', set });
  const deployment = await moveDeployment(session, {
    id: deploymentId,
    accountId,
    from: ['deploying'],
    to: 'live',
    set: fieldsBelow('destinations.$', there),
    when: { currentReleaseId: id, 'destinations._id': destination._id },
  });
  if (live === null || deployment === null) throw changedMeanwhile();
  if (live.replacedReleaseId) await replace(session, accountId, live.replacedReleaseId, now);
  if (wasLiveBefore(release)) await endRollBack(session, live, 'done', now);
  await scheduleHealthCheck(session, { accountId, deploymentId, now });
  await publishElsewhere(session, deployment, live, now);
  const { name } = deployment;
  const what = wasLiveBefore(release) ? `Release ${release.number} of ${name} is live again` : `${name} is live`;
  const message = `${what} at ${siteUrlOf(providers.addresses, siteOf(deployment))}`;
  const event = { type: 'deployment_status', status: 'success', message, deploymentId, releaseId: id } as const;
  await publishEvent(session, accountId, event);
  await mailOutcome(session, providers, live, { kind: 'release-live', message });
}

async function replace(session: ClientSession, accountId: string, id: string, at: Date): Promise<void> {
  await moveRelease(session, { id, accountId, from: ['live'], to: 'superseded', set: { servedUntil: at } });
  await callOffElsewhere(session, accountId, id, at);
}

/** Fails the release, and returns whether another is live there, as the one before it may be. */
export async function failRelease(
  session: ClientSession,
  providers: Providers,
  wanted: Wanted,
  error: ShownError,
): Promise<'live' | 'failed'> {
  const at = providers.now();
  const isRollBack = wasLiveBefore(wanted.release);
  const set = { error, ...(!isRollBack && { finishedAt: at }) };
  const to = isRollBack ? 'superseded' : 'failed';
  const { release, deployment } = await takeBack(session, wanted, { to, set, otherwise: 'failed', at });
  if (isRollBack) await endRollBack(session, release, 'failed', at);
  const { accountId, deploymentId, _id: releaseId } = release;
  const what = isRollBack
    ? `Release ${release.number} of ${deployment.name} did not go live again`
    : `${deployment.name} was not published`;
  const message = `${what}: ${error.message}`;
  const event = { type: 'deployment_status', status: 'failed', message, deploymentId, releaseId } as const;
  await publishEvent(session, accountId, event);
  await mailOutcome(session, providers, release, { kind: 'release-failed', message });
  return deployment.currentReleaseId ? 'live' : 'failed';
}

type Ending = {
  to: 'failed' | 'superseded' | 'cancelled';
  set: Partial<Pick<ReleaseDoc, 'finishedAt'>> & { error?: ShownError };
  /** The state of the deployment when nothing was live before. */
  otherwise: 'failed' | 'draft';
  at: Date;
};

/** Ends an unsuccessful release, and returns it with its deployment, which is live if something was live before. */
export async function takeBack(
  session: ClientSession,
  { release, deployment }: Wanted,
  { to, set, otherwise, at }: Ending,
): Promise<{ release: ReleaseDoc; deployment: DeploymentDoc }> {
  const { accountId, deploymentId, _id: id, replacedReleaseId } = release;
  const wasLive = deployment.currentReleaseId === id;
  const serving = (wasLive ? replacedReleaseId : deployment.currentReleaseId) ?? null;
  const wasReplaced = wasLive && serving !== null;
  const ended = await moveRelease(session, {
    id,
    accountId,
    from: to === 'superseded' ? ['verifying'] : RUNNING_RELEASE_STATES,
    to,
    set: { ...set, ...(wasReplaced && { servedUntil: at }) },
  });
  const left = await moveDeployment(session, {
    id: deploymentId,
    accountId,
    from: ['deploying'],
    to: serving === null ? otherwise : 'live',
    set: { currentReleaseId: serving },
  });
  if (ended === null || left === null) throw changedMeanwhile();
  if (wasReplaced) await resumeElsewhere(session, left);
  return { release: ended, deployment: left };
}

/** Records how a rollback ended. */
async function endRollBack(
  session: ClientSession,
  { accountId, _id: toReleaseId }: ReleaseDoc,
  state: 'done' | 'failed',
  endedAt: Date,
): Promise<void> {
  await RollBackModel.updateOne(
    { accountId, toReleaseId, state: 'running' },
    { $set: { state, endedAt } },
    { session },
  );
}

/**
 * Mails the outcome of a release, in the transaction that ends it: to people who want it, and to a confirmed address
 * alone, since any other may be somebody else's.
 */
async function mailOutcome(
  session: ClientSession,
  providers: Providers,
  { accountId, deploymentId, number }: Pick<ReleaseDoc, 'accountId' | 'deploymentId' | 'number'>,
  { kind, message }: { kind: 'release-live' | 'release-failed'; message: string },
): Promise<void> {
  const user = await UserModel.findOne({ _id: accountId }).session(session);
  if (user === null || !(user.emailConfirmedAt instanceof Date)) return;
  const { releaseLive, releaseFailed } = user.notifications;
  const isWanted = kind === 'release-live' ? releaseLive : releaseFailed;
  if (!isWanted) return;
  const page = `/deployments/${deploymentId}/releases/${number}`;
  const values = { kind, username: user.username, message, page };
  await queueMail(session, providers, { accountId, to: user.email, values });
}

function changedMeanwhile(): AppError {
  return new AppError('state_changed', 'The deployment was changed in the meantime.');
}
