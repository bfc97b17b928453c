import type { ClientSession } from 'mongoose';
import type { StoredEvent } from '../../../routers/schemas/events.ts';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { RUNNING_RELEASE_STATES } from '../../../routers/schemas/state-names.ts';
import type { Providers } from '../../context.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../../database/models/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/release.ts';
import { ReleaseStepModel } from '../../database/models/release-step.ts';
import { moveDeployment, moveRelease } from '../../database/move-state.ts';
import { siteOf, siteUrlOf } from '../../database/site-address.ts';
import { publishEvent } from '../../events/publish.ts';
import { AppError } from '../../lib/errors.ts';
import { scheduleHealthCheck } from '../health-schedule.ts';
import { publishElsewhere } from './other-destinations.ts';
import { mailOutcome } from './outcome-mail.ts';
import { endRollBack } from './roll-backs.ts';
import { wasLiveBefore } from './was-live-before.ts';

/**
 * How a release takes over, and how it ends. Each verb is part of the caller's transaction and holds only while the
 * release is still on its way: null means that somebody was faster, and nothing was written.
 *
 * The deployment's pointer (`currentReleaseId`) is what is served. It is switched before the second half of
 * verification and put back when that fails; the states of the two releases follow when the outcome is known.
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

const LIVE = { 'destinations.0.state': 'live', 'destinations.0.error': null } as const;

/** Seen live: the release is public, and the one before it can be gone back to. */
export async function endLive(
  session: ClientSession,
  providers: Providers,
  release: ReleaseDoc,
): Promise<ReleaseDoc | null> {
  const { accountId, deploymentId, _id: id } = release;
  const now = providers.now();
  const set = {
    verifiedAt: release.verifiedAt ?? now,
    finishedAt: release.finishedAt ?? now,
    liveSince: now,
    servedUntil: null,
    error: null,
    ...LIVE,
  };
  const live = await moveRelease(session, { id, accountId, from: ['verifying'], to: 'live', set });
  if (live === null) return null;
  if (live.replacedReleaseId) {
    await moveRelease(session, {
      id: live.replacedReleaseId,
      accountId,
      from: ['live'],
      to: 'superseded',
      set: { servedUntil: now },
    });
  }
  await endRollBack(session, live, 'done', now);
  const deployment = await moveDeployment(session, {
    id: deploymentId,
    accountId,
    from: ['deploying'],
    to: 'live',
    when: { currentReleaseId: id },
    set: LIVE,
  });
  if (deployment === null) throw new AppError('state_changed', 'The deployment changed meanwhile.');
  await scheduleHealthCheck(session, { accountId, deploymentId, now });
  await publishElsewhere(session, deployment, live, now);
  const where = `${deployment.name} is live at ${siteUrlOf(providers.addresses, siteOf(deployment))}`;
  const message = wasLiveBefore(release) ? `Rolled back to release ${release.number}. ${where}` : where;
  const event = { type: 'deployment_status', status: 'success', message, deploymentId, releaseId: id } as const;
  await publishEvent(session, accountId, event);
  await mailOutcome(session, providers, live, { kind: 'release-live', message });
  return live;
}

/** Failed for good: the error is kept for the person, and what was live before is live again. */
export async function endFailed(
  session: ClientSession,
  providers: Providers,
  release: ReleaseDoc,
  error: unknown,
): Promise<ReleaseDoc | null> {
  const shown = shownError(error);
  const isRollBack = wasLiveBefore(release);
  const ended = await moveRelease(session, {
    id: release._id,
    accountId: release.accountId,
    from: isRollBack ? ['verifying'] : RUNNING_RELEASE_STATES,
    to: isRollBack ? 'superseded' : 'failed',
    set: {
      error: shown,
      'destinations.0.state': isRollBack && primaryOf(release).wasLive ? 'live' : 'failed',
      'destinations.0.error': shown,
      ...(!isRollBack && { finishedAt: providers.now() }),
    },
  });
  if (ended === null) return null;
  if (isRollBack) await endRollBack(session, ended, 'failed', providers.now());
  const deployment = await leaveDeployment(session, ended, {
    otherwise: 'failed',
    error: shown,
    at: providers.now(),
  });
  await endSteps(session, providers, ended, 'failed');
  const what = isRollBack ? `Rolling back ${deployment.name} failed` : `${deployment.name} was not published`;
  const message = `${what}: ${shown.message}`;
  await publishEvent(session, release.accountId, {
    type: 'deployment_status',
    status: 'failed',
    message,
    deploymentId: deployment._id,
    releaseId: release._id,
  });
  await mailOutcome(session, providers, ended, { kind: 'release-failed', message });
  return ended;
}

/** Cancelled by a person: no failure, so no failure is told. */
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
    set: { finishedAt: providers.now(), 'destinations.0.state': 'idle', 'destinations.0.error': null },
  });
  if (ended === null) return null;
  const deployment = await leaveDeployment(session, ended, { otherwise: 'draft', error: null, at: providers.now() });
  await endSteps(session, providers, ended, 'cancelled');
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

/** Returns the deployment after a release that did not make it: live with what was live, else as `otherwise` says. */
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
    set: {
      currentReleaseId: serving,
      'destinations.0.state': serving !== null ? 'live' : otherwise === 'failed' ? 'failed' : 'idle',
      'destinations.0.error': error,
      // What was deleted there is made anew by the next release.
      ...(error?.code === 'platform_place_gone' && { 'destinations.0.site': null }),
    },
  });
  if (left === null) throw new AppError('state_changed', 'The deployment changed meanwhile.');
  if (wasSwitched && serving !== null) {
    await ReleaseModel.updateOne({ _id: release._id, accountId }, { $set: { servedUntil: at } }, { session });
  }
  return left;
}

async function endSteps(
  session: ClientSession,
  providers: Providers,
  release: ReleaseDoc,
  state: 'failed' | 'cancelled',
): Promise<void> {
  const filter = { accountId: release.accountId, releaseId: release._id };
  await ReleaseStepModel.updateMany(
    { ...filter, state: 'running' },
    { $set: { state, endedAt: providers.now() } },
    { session },
  );
  if (state === 'failed') return;
  await ReleaseStepModel.updateMany({ ...filter, state: 'waiting' }, { $set: { state } }, { session });
}

/** What of an error is for a person: an unknown one says nothing of its inside. */
export function shownError(error: unknown): ShownError {
  if (!(error instanceof AppError)) {
    return { code: 'internal', message: 'Something went wrong on our side.', hint: 'Try again.', raw: null };
  }
  return { code: error.code, message: error.message, hint: error.hint ?? null, raw: error.raw ?? null };
}
