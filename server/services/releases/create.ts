import type { ClientSession } from 'mongoose';
import type { CreateReleaseInput, Release, RetryReleaseInput } from '../../../routers/schemas/releases.ts';
import { RELEASE_STEPS } from '../../../routers/schemas/states.ts';
import { compareManifests, type Manifest, totalBytes } from '../../artifacts/manifest.ts';
import { AppError, notFound } from '../../errors.ts';
import { publishEvent } from '../../events/publish.ts';
import { enqueueJob } from '../../jobs/queue.ts';
import { type ReleaseDoc, ReleaseModel } from '../../models/release.ts';
import { ReleaseStepModel } from '../../models/release-step.ts';
import { type UploadDoc, UploadModel } from '../../models/upload.ts';
import { newId, transaction } from '../../mongo.ts';
import type { AccountContext } from '../../service-context.ts';
import { actorName } from '../actor-name.ts';
import { busy } from '../deployments/change.ts';
import { findDeployment } from '../deployments/read.ts';
import { moveDeployment } from '../move-state.ts';
import { requireWritablePlan } from '../quota.ts';
import { findOpenUpload, missingHashes } from '../uploads/index.ts';
import { inTurn } from './list-turn.ts';
import { findRelease, previousRelease, readManifest, toReleaseOf } from './read.ts';

type NewRelease = {
  deploymentId: string;
  source: ReleaseDoc['source'];
  manifestHash: string;
  manifest: Manifest;
  createdBy: string;
};

/**
 * Makes a release of an upload that has arrived completely, and starts it: release, steps, event and job in one
 * transaction. Throws `not_found`, `plan_required`, `upload_incomplete`, `upload_closed`, `deployment_busy`,
 * `rate_limited`, and with `ifChanged` `release_unchanged`.
 */
export async function createRelease(ctx: AccountContext, input: CreateReleaseInput): Promise<Release> {
  const deployment = await findDeployment(ctx, input.deploymentId);
  const upload = await findOpenUpload(ctx, input.uploadId);
  await requireWritablePlan(ctx);
  if (upload.deploymentId !== null && upload.deploymentId !== undefined && upload.deploymentId !== deployment._id) {
    throw new AppError('conflict', 'This upload was opened for another deployment.');
  }
  const manifestHash = upload.manifestHash ?? null;
  if (manifestHash === null) throw new AppError('upload_incomplete', 'The list of files has not arrived yet.');
  // While something is under way, nobody knows what will be live: that it is busy is said below.
  if (input.ifChanged === true && deployment.state !== 'deploying')
    await refuseUnchanged(ctx, deployment.currentReleaseId ?? null, manifestHash);
  const doc = await inTurn(ctx, () => useUpload(ctx, { deploymentId: deployment._id, upload, manifestHash }));
  return toReleaseOf(ctx, doc);
}

/** Equal files give equal lists. What the store has lost of the live release is brought back by publishing it again. */
async function refuseUnchanged(ctx: AccountContext, liveId: string | null, manifestHash: string): Promise<void> {
  if (liveId === null) return;
  const live = await ReleaseModel.findOne({ _id: liveId, accountId: ctx.actor.accountId, manifestHash });
  if (live === null || live.damagedFiles.length > 0) return;
  throw new AppError('release_unchanged', `Nothing changed since release ${live.number}.`);
}

type ReleaseUpload = { deploymentId: string; upload: UploadDoc; manifestHash: string };

async function useUpload(
  ctx: AccountContext,
  { deploymentId, upload, manifestHash }: ReleaseUpload,
): Promise<ReleaseDoc> {
  const manifest = await readManifest(ctx.providers.store, manifestHash);
  const missing = await missingHashes(ctx.actor.accountId, manifest);
  if (missing.length > 0) {
    throw new AppError('upload_incomplete', `${missing.length} of ${manifest.size} files have not arrived yet.`, {
      hint: 'Send the missing files and try again.',
    });
  }
  const release = { deploymentId, source: upload.source, manifestHash, manifest, createdBy: await actorName(ctx) };
  return transaction(async (session) => {
    // First: whoever sends the same call again hears that it was done, and not that the deployment is busy with it.
    const used = await UploadModel.updateOne(
      { _id: upload._id, accountId: ctx.actor.accountId, state: 'open', manifestHash },
      { $set: { state: 'used', deploymentId } },
      { session },
    );
    if (used.matchedCount === 0) throw new AppError('upload_closed', 'This upload was changed or used meanwhile.');
    return startRelease(session, ctx, release);
  });
}

/**
 * "Try again": a new release with the files of one that failed or was cancelled; nothing is sent anew.
 * Throws `not_found`, `plan_required`, `conflict` for a release in another state, `deployment_busy`, `rate_limited`.
 */
export async function retryRelease(ctx: AccountContext, input: RetryReleaseInput): Promise<Release> {
  const failed = await findRelease(ctx, input.releaseId);
  await requireWritablePlan(ctx);
  if (failed.state !== 'failed' && failed.state !== 'cancelled') {
    throw new AppError('conflict', 'Only a release that failed or was cancelled can be tried again.');
  }
  const { deploymentId, manifestHash } = failed;
  const doc = await inTurn(ctx, async () => {
    const manifest = await readManifest(ctx.providers.store, manifestHash);
    const createdBy = await actorName(ctx);
    const release = { deploymentId, source: 'retry' as const, manifestHash, manifest, createdBy };
    return transaction((session) => startRelease(session, ctx, release));
  });
  return toReleaseOf(ctx, doc);
}

/** The next number of the deployment, its steps, its event and its job. */
async function startRelease(session: ClientSession, ctx: AccountContext, release: NewRelease): Promise<ReleaseDoc> {
  const { accountId } = ctx.actor;
  const { deploymentId, manifest } = release;
  const id = newId();
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId, releaseId: id });
  const deployment = await moveDeployment(session, {
    id: deploymentId,
    accountId,
    from: ['draft', 'live', 'failed'],
    to: 'deploying',
    set: { latestReleaseId: id },
    inc: { releaseCount: 1 },
  });
  if (deployment === null)
    throw (await findDeployment(ctx, deploymentId)).state === 'deleting' ? notFound('deployment') : busy();

  const number = deployment.releaseCount;
  const previous = await previousRelease(accountId, deploymentId, number, session);
  const fields = {
    _id: id,
    accountId,
    deploymentId,
    number,
    source: release.source,
    createdBy: release.createdBy,
    manifestHash: release.manifestHash,
    fileCount: manifest.size,
    totalBytes: totalBytes(manifest),
    changedFiles: await countChanged(ctx, previous, release),
  };
  const [doc] = await ReleaseModel.create([fields], { session });
  if (doc === undefined) throw new Error('An insert gave no document.');
  const steps = RELEASE_STEPS.map((name) => ({ _id: `${id}.${name}`, accountId, deploymentId, releaseId: id, name }));
  await ReleaseStepModel.insertMany(steps, { session });
  await enqueueJob(session, {
    name: 'deploy-release',
    payload: { releaseId: id },
    accountId,
    key: deploymentId,
  });
  return doc;
}

async function countChanged(ctx: AccountContext, previous: ReleaseDoc | null, release: NewRelease): Promise<number> {
  if (previous?.manifestHash === release.manifestHash) return 0;
  const before = previous === null ? null : await readManifest(ctx.providers.store, previous.manifestHash);
  const { added, changed, removed } = compareManifests(before, release.manifest);
  return added.length + changed.length + removed.length;
}
