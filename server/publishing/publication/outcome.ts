import type { ClientSession } from 'mongoose';
import type { StoredEvent } from '../../../routers/schemas/events.ts';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { RUNNING_RELEASE_STATES } from '../../../routers/schemas/state-names.ts';
import type { Providers } from '../../context.ts';
import { type DeploymentDoc, DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/publishing/release.ts';
import { RollBackModel } from '../../database/models/publishing/roll-back.ts';
import { moveDeployment, moveRelease } from '../../database/move-state.ts';
import { siteOf, siteUrlOf } from '../../database/site-address.ts';
import { publishEvent } from '../../events/publish.ts';
import { AppError, shownError } from '../../lib/errors.ts';
import { scheduleHealthCheck } from './health-schedule.ts';
import {
  callOffElsewhere,
  completeElsewhere,
  failElsewhere,
  publishElsewhere,
  resumeElsewhere,
} from './other-destinations.ts';
import { mailOutcome } from './outcome-mail.ts';
import { endPublication, findPublication, type PublicationIds } from './publications.ts';
import { type ReleaseWork, writePrimary } from './release-work.ts';
import { wasLiveBefore } from './was-live-before.ts';

/**
 * Switches the deployment to the release. Throws `state_changed` when the release was cancelled before.
 *
 * The functions here are part of the caller's transaction. The deployment's pointer (`currentReleaseId`) decides what is
 * served: it is switched before the second half of verification and put back when that fails. The states of the two
 * releases follow when the outcome is known.
 */
export async function switchTo(session: ClientSession, release: ReleaseDoc): Promise<void> {
  const { accountId, deploymentId } = release;
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId }).session(session);
  const replaced = deployment?.currentReleaseId ?? null;
  if (replaced === release._id) return;
  const noted = await ReleaseModel.updateOne(
    { _id: release._id, accountId, state: 'verifying', cancelRequestedAt: null },
    { $set: { replacedReleaseId: replaced } },
    { session },
  );
  const switched = await DeploymentModel.updateOne(
    { _id: deploymentId, accountId, state: 'deploying', currentReleaseId: replaced },
    { $set: { currentReleaseId: release._id } },
    { session },
  );
  if (noted.matchedCount === 0 || switched.matchedCount === 0) {
    throw new AppError('state_changed', 'This release was cancelled before it could go live.');
  }
}

const LIVE = { state: 'live', error: null } as const;

/** Records that the release was seen live at its destination. At the primary one the whole release is complete. */
export async function complete(session: ClientSession, providers: Providers, work: ReleaseWork): Promise<void> {
  if (work.isPrimary) await completeRelease(session, providers, work.release);
  else await completeElsewhere(session, work);
}

/** Makes the release public: the one before it can be rolled back to, and the other destinations follow. */
async function completeRelease(session: ClientSession, providers: Providers, release: ReleaseDoc): Promise<void> {
  const { accountId, deploymentId, _id: id } = release;
  const now = providers.now();
  const set = {
    verifiedAt: release.verifiedAt ?? now,
    finishedAt: release.finishedAt ?? now,
    liveSince: now,
    servedUntil: null,
    error: null,
  };
  const live = await moveRelease(session, { id, accountId, from: ['verifying'], to: 'live', set });
  if (live === null) return;
  if (live.replacedReleaseId) {
    await moveRelease(session, {
      id: live.replacedReleaseId,
      accountId,
      from: ['live'],
      to: 'superseded',
      set: { servedUntil: now },
    });
    await callOffElsewhere(session, accountId, live.replacedReleaseId, now);
  }
  await endRollBack(session, live, 'done', now);
  const deployment = await moveDeployment(session, {
    id: deploymentId,
    accountId,
    from: ['deploying'],
    to: 'live',
    when: { currentReleaseId: id },
  });
  if (deployment === null) throw new AppError('state_changed', 'The deployment changed meanwhile.');
  await writePrimary(session, deployment, LIVE);
  await endPublication(session, accountId, primaryPublication(deployment, id), LIVE);
  await scheduleHealthCheck(session, { accountId, deploymentId, now });
  await publishElsewhere(session, deployment, live, now);
  const where = `${deployment.name} is live at ${siteUrlOf(providers.addresses, siteOf(deployment))}`;
  const message = wasLiveBefore(release) ? `Rolled back to release ${release.number}. ${where}` : where;
  const event = { type: 'deployment_status', status: 'success', message, deploymentId, releaseId: id } as const;
  await publishEvent(session, accountId, event);
  await mailOutcome(session, providers, live, { kind: 'release-live', message });
}

/**
 * Records that publishing at one destination has failed for good, with the error for the person. At the primary one
 * the release fails, and what was live before is live again.
 */
export async function fail(
  session: ClientSession,
  providers: Providers,
  accountId: string,
  ids: PublicationIds,
  error: unknown,
): Promise<void> {
  const release = await ReleaseModel.findOne({ _id: ids.releaseId, accountId }).session(session);
  const deployment = await DeploymentModel.findOne({ _id: release?.deploymentId ?? '', accountId }).session(session);
  if (release === null || deployment === null) return;
  const shown = shownError(error);
  if (deployment.primaryId === ids.destinationId) await failRelease(session, providers, release, shown);
  else await failElsewhere(session, { deployment, release, destinationId: ids.destinationId }, shown, providers.now());
}

async function failRelease(
  session: ClientSession,
  providers: Providers,
  release: ReleaseDoc,
  error: ShownError,
): Promise<void> {
  const { accountId, _id: id } = release;
  const at = providers.now();
  const isRollBack = wasLiveBefore(release);
  const ended = await moveRelease(session, {
    id,
    accountId,
    from: isRollBack ? ['verifying'] : RUNNING_RELEASE_STATES,
    to: isRollBack ? 'superseded' : 'failed',
    set: { error, ...(!isRollBack && { finishedAt: at }) },
  });
  if (ended === null) return;
  if (isRollBack) await endRollBack(session, ended, 'failed', at);
  const deployment = await leaveDeployment(session, ended, { otherwise: 'failed', error, at });
  const ids = primaryPublication(deployment, id);
  const wasLive = isRollBack && (await findPublication(accountId, ids))?.wasLive === true;
  const steps = { state: 'failed', at } as const;
  await endPublication(session, accountId, ids, { state: wasLive ? 'live' : 'failed', error, steps });
  const what = isRollBack ? `Rolling back ${deployment.name} failed` : `${deployment.name} was not published`;
  const message = `${what}: ${error.message}`;
  await publishEvent(session, accountId, {
    type: 'deployment_status',
    status: 'failed',
    message,
    deploymentId: deployment._id,
    releaseId: id,
  });
  await mailOutcome(session, providers, ended, { kind: 'release-failed', message });
}

/** Records that a person cancelled the release. No failure is reported, since it is none. */
export async function endCancelled(
  session: ClientSession,
  providers: Providers,
  release: ReleaseDoc,
): Promise<ReleaseDoc | null> {
  const { accountId, _id: id } = release;
  const ended = await moveRelease(session, {
    id,
    accountId,
    from: RUNNING_RELEASE_STATES,
    to: 'cancelled',
    set: { finishedAt: providers.now() },
  });
  if (ended === null) return null;
  const deployment = await leaveDeployment(session, ended, { otherwise: 'draft', error: null, at: providers.now() });
  const steps = { state: 'cancelled', at: providers.now() } as const;
  await endPublication(session, accountId, primaryPublication(deployment, id), { state: 'idle', error: null, steps });
  const event: StoredEvent = {
    type: 'notification',
    title: 'Release cancelled',
    message: `Release ${ended.number} of ${deployment.name} was cancelled. ${deployment.currentReleaseId ? 'What was live stays live.' : 'Nothing was published.'}`,
    deploymentId: deployment._id,
    releaseId: id,
  };
  await publishEvent(session, accountId, event);
  return ended;
}

/** Returns the deployment after an unsuccessful release: live if something was live, otherwise as `otherwise` says. */
async function leaveDeployment(
  session: ClientSession,
  release: ReleaseDoc,
  { otherwise, error, at }: { otherwise: 'failed' | 'draft'; error: ShownError | null; at: Date },
): Promise<DeploymentDoc> {
  const { accountId, deploymentId: id } = release;
  const before = await DeploymentModel.findOne({ _id: id, accountId }).session(session).orFail();
  const wasSwitched = before.currentReleaseId === release._id;
  const serving = (wasSwitched ? release.replacedReleaseId : before.currentReleaseId) ?? null;
  const left = await moveDeployment(session, {
    id,
    accountId,
    from: ['deploying'],
    to: serving === null ? otherwise : 'live',
    set: { currentReleaseId: serving },
  });
  if (left === null) throw new AppError('state_changed', 'The deployment changed meanwhile.');
  await writePrimary(session, left, {
    state: serving !== null ? 'live' : otherwise === 'failed' ? 'failed' : 'idle',
    error,
    // A site that was deleted there is made anew by the next release.
    ...(error?.code === 'platform_place_gone' && { site: null }),
  });
  if (wasSwitched && serving !== null) {
    await ReleaseModel.updateOne({ _id: release._id, accountId }, { $set: { servedUntil: at } }, { session });
    await resumeElsewhere(session, left);
  }
  return left;
}

/** Records how a rollback ended; does nothing for a release that is on its way for the first time. */
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

function primaryPublication(deployment: DeploymentDoc, releaseId: string): PublicationIds {
  return { releaseId, destinationId: deployment.primaryId };
}
