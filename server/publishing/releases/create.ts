import type { ClientSession } from 'mongoose';
import { entryPageIn } from '../../../routers/rules/uploads/entry-page.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { CreateReleaseInput, Release, RetryReleaseInput } from '../../../routers/schemas/releases.ts';
import { actorName } from '../../account/actor-name.ts';
import { requireConnected } from '../../connections/watch.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import type { DeploymentDoc } from '../../database/models/publishing/deployment.ts';
import { PublicationModel, type PublicationRow, publicationId } from '../../database/models/publishing/publication.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/publishing/release.ts';
import { type UploadDoc, UploadModel } from '../../database/models/publishing/upload.ts';
import { newId, transaction } from '../../database/mongo.ts';
import { moveDeployment } from '../../database/move-state.ts';
import { publishEvent } from '../../events/publish.ts';
import { addReusedNames } from '../../lib/content/cache-rule.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireWritable } from '../../plans/subscription/writable.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { compareManifests, type Manifest, type ManifestDifference, totalBytes } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { deploymentBusy } from '../deployments/change.ts';
import { readManifest, unlessLost } from '../publication/release-files.ts';
import { destinationKey, writeDestination } from '../publication/release-work.ts';
import { withFileListSlot } from '../uploads/file-list-slot.ts';
import {
  findOpenUpload,
  KEYS_A_REQUEST,
  missingHashes,
  quietEnd,
  refusePrivateKeys,
  requireUnchanged,
  uploadChanged,
} from '../uploads/index.ts';
import { countRelease } from './pace.ts';
import { findRelease } from './read.ts';
import { toRelease } from './to-release.ts';

type NewRelease = Pick<ReleaseDoc, 'source' | 'manifestHash' | 'fileCount' | 'totalBytes' | 'changedFiles'> & {
  hasStartPage: boolean;
  deploymentId: string;
  createdBy: string;
  /** The release that visitors have; the changes were counted against it. */
  previousReleaseId: string | null;
};
/** `reusedNames` replaces that of the deployment. */
type DescribedRelease = { release: NewRelease; reusedNames: string[] };

/**
 * Makes a release of an upload that has arrived completely, and starts it: release, publications, event and job in one
 * transaction. Throws `not_found`, `plan_required`, `upload_incomplete`, `upload_refused`, `upload_closed`,
 * `credentials_invalid`, `deployment_busy`, `rate_limited`, and with `ifChanged` `release_unchanged`.
 */
export async function createRelease(ctx: AccountContext, input: CreateReleaseInput): Promise<Release> {
  const deployment = await findDeployment(ctx, input.deploymentId);
  const upload = await findOpenUpload(ctx, input.uploadId);
  await requireWritable(null, ctx, deployment._id);
  if (upload.deploymentId !== null && upload.deploymentId !== undefined && upload.deploymentId !== deployment._id) {
    throw new AppError('conflict', 'This upload was opened for another deployment.');
  }
  const manifestHash = upload.manifestHash ?? null;
  if (manifestHash === null) throw new AppError('upload_incomplete', 'The list of files has not arrived yet.');
  // While a release is under way, nobody knows what will be live; the check below refuses with `deployment_busy`.
  if (input.ifChanged === true && deployment.state !== 'deploying')
    await refuseUnchanged(ctx, deployment.currentReleaseId ?? null, { _id: upload._id, manifestHash });
  await requireConnected(ctx, deployment);
  await countRelease(ctx);
  const { source = upload.source } = input;
  return consumeUpload(ctx, { deploymentId: deployment._id, upload, source, manifestHash });
}

/**
 * Equal files give equal lists. Files that the store has lost of the live release are restored by publishing it again.
 * A refused upload stays open for who wants the release all the same, and gives its slot to the next that needs one.
 */
async function refuseUnchanged(
  ctx: AccountContext,
  liveId: string | null,
  { _id, manifestHash }: { _id: string; manifestHash: string },
): Promise<void> {
  if (liveId === null) return;
  const { accountId } = ctx.actor;
  const live = await ReleaseModel.findOne({ _id: liveId, accountId, manifestHash });
  if (live === null || live.corruptedFiles.length > 0) return;
  await UploadModel.updateOne({ _id, accountId, state: 'open' }, { $set: { expiresAt: quietEnd(ctx) } });
  throw new AppError('release_unchanged', `Nothing changed since release ${live.number}.`);
}

type ReleaseUpload = Pick<NewRelease, 'deploymentId' | 'source' | 'manifestHash'> & { upload: UploadDoc };

async function consumeUpload(
  ctx: AccountContext,
  { deploymentId, upload, source, manifestHash }: ReleaseUpload,
): Promise<Release> {
  const described = { deploymentId, source, manifestHash, createdBy: await actorName(ctx) };
  const describe = (): Promise<DescribedRelease> =>
    describeRelease(ctx, described, {
      beforeReading: () => requireUnchanged(ctx, { uploadId: upload._id, manifestHash }),
      check: (manifest) => requireAllFiles(ctx, manifest),
    });
  return startDescribed(describe, async (session, made) => {
    // First, so that a repeated call learns that its release exists and not that the deployment is busy with it.
    const used = await UploadModel.updateOne(
      { _id: upload._id, accountId: ctx.actor.accountId, state: 'open', manifestHash },
      { $set: { state: 'used', deploymentId } },
      { session },
    );
    if (used.matchedCount === 0) throw uploadChanged();
    return startRelease(session, ctx, made);
  });
}

/**
 * Makes a new release with the files of one that failed or was cancelled; nothing is uploaded again. Throws
 * `not_found`, `plan_required`, `conflict` for a release in another state, `credentials_invalid`, `deployment_busy`,
 * `rate_limited`.
 */
export async function retryRelease(ctx: AccountContext, input: RetryReleaseInput): Promise<Release> {
  const failed = await findRelease(ctx, input.releaseId);
  await requireWritable(null, ctx, failed.deploymentId);
  if (failed.state !== 'failed' && failed.state !== 'cancelled') {
    throw new AppError('conflict', 'Only a release that failed or was cancelled can be tried again.');
  }
  await requireConnected(ctx, await findDeployment(ctx, failed.deploymentId));
  await countRelease(ctx);
  const { deploymentId, manifestHash } = failed;
  // What was edited stays known as that: a folder does not replace it unasked.
  const source = failed.source === 'editor' ? 'editor' : 'retry';
  const createdBy = await actorName(ctx);
  const describe = (): Promise<DescribedRelease> =>
    describeRelease(ctx, { deploymentId, source, manifestHash, createdBy });
  return startDescribed(describe, (session, made) => startRelease(session, ctx, made));
}

/**
 * Throws `upload_incomplete` while a file of the list has not arrived, and `upload_refused` for a private key.
 * Resolves with a path that may be one when there are too many candidates for a request to look into; the release
 * looks into them before anything is sent.
 */
export async function requireAllFiles(ctx: AccountContext, manifest: Manifest): Promise<string | null> {
  const missing = await missingHashes(ctx.actor.accountId, manifest);
  if (missing.length === 0) return refusePrivateKeys(ctx.providers.store, manifest, { most: KEYS_A_REQUEST });
  throw new AppError(
    'upload_incomplete',
    `Still missing: ${missing.length.toLocaleString('en')} of ${formatCount(manifest.size, 'file')}.`,
    {
      hint: 'Send the missing files and try again.',
    },
  );
}

/**
 * Reads the lists of files in turn, and frees the slot for them before anything waits for the database, since a
 * transaction may have to wait for others of the account.
 */
function describeRelease(
  ctx: AccountContext,
  release: Pick<NewRelease, 'deploymentId' | 'source' | 'manifestHash' | 'createdBy'>,
  checks: { beforeReading(): Promise<unknown>; check(manifest: Manifest): Promise<unknown> } | null = null,
): Promise<DescribedRelease> {
  return withFileListSlot(ctx, async () => {
    const { store } = ctx.providers;
    await checks?.beforeReading();
    const manifest = await readManifest(store, release.manifestHash);
    await checks?.check(manifest);
    const { currentReleaseId, reusedNames } = await findDeployment(ctx, release.deploymentId);
    const previous = await ReleaseModel.findOne({ _id: currentReleaseId ?? '', accountId: ctx.actor.accountId });
    const difference = await differenceTo(store, previous, { manifestHash: release.manifestHash, manifest });
    const { added, changed, removed } = difference;
    return {
      release: {
        ...release,
        fileCount: manifest.size,
        totalBytes: totalBytes(manifest),
        changedFiles: added.length + changed.length + removed.length,
        // A site without the page may have a redirect for it.
        hasStartPage: entryPageIn(manifest) !== null || manifest.has('_redirects'),
        previousReleaseId: previous?._id ?? null,
      },
      reusedNames: addReusedNames(reusedNames, changed),
    };
  });
}

/** Visitors have another release since the changes were counted. */
class CountOutdated extends Error {}

/** Runs the transaction with the description made before it, and describes anew when that is outdated by then. */
async function startDescribed(
  describe: () => Promise<DescribedRelease>,
  start: (session: ClientSession, made: DescribedRelease) => Promise<Release>,
): Promise<Release> {
  for (;;) {
    const made = await describe();
    try {
      return await transaction((session) => start(session, made));
    } catch (error) {
      if (!(error instanceof CountOutdated)) throw error;
    }
  }
}

/** Makes the release with the next number of the deployment, its publications, its event and its job. */
async function startRelease(
  session: ClientSession,
  ctx: AccountContext,
  { release, reusedNames }: DescribedRelease,
): Promise<Release> {
  const { accountId } = ctx.actor;
  const { deploymentId } = release;
  const id = newId();
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId, releaseId: id });
  await requireWritable(session, ctx, deploymentId);
  const deployment = await moveDeployment(session, {
    id: deploymentId,
    accountId,
    from: ['draft', 'live', 'failed'],
    to: 'deploying',
    set: { latestReleaseId: id, reusedNames },
    inc: { releaseCount: 1 },
  });
  if (deployment === null)
    throw (await findDeployment(ctx, deploymentId)).state === 'deleting' ? notFound('deployment') : deploymentBusy();

  if ((deployment.currentReleaseId ?? null) !== release.previousReleaseId) throw new CountOutdated();
  const fields = {
    ...release,
    _id: id,
    accountId,
    number: deployment.releaseCount,
  };
  const [doc] = await ReleaseModel.create([fields], { session });
  if (doc === undefined) throw new Error('An insert gave no document.');
  const publications = await PublicationModel.insertMany(publicationsOf(deployment, id), { session });
  const { primaryId: destinationId } = deployment;
  await writeDestination(session, accountId, { deploymentId, destinationId }, { state: 'publishing', error: null });
  await enqueueJob(session, {
    name: 'publish',
    payload: { releaseId: id, destinationId },
    accountId,
    key: destinationKey({ deploymentId, destinationId }),
  });
  const listed = publications.map((one) => one.toObject());
  return toRelease(ctx.providers.addresses, doc, listed, deployment);
}

/** The release goes to the primary destination first, and once it is live there to the others. */
function publicationsOf(deployment: DeploymentDoc, releaseId: string): Partial<PublicationRow>[] {
  const { _id: deploymentId, accountId, primaryId, destinations } = deployment;
  return destinations
    .filter(({ state }) => state !== 'removing')
    .map(({ _id: destinationId, platform }) => ({
      ...{
        _id: publicationId({ releaseId, destinationId }),
        accountId,
        deploymentId,
        releaseId,
        destinationId,
        platform,
      },
      state: destinationId === primaryId ? 'publishing' : 'idle',
    }));
}

async function differenceTo(
  store: ArtifactStore,
  previous: ReleaseDoc | null,
  { manifestHash, manifest }: { manifestHash: string; manifest: Manifest },
): Promise<ManifestDifference> {
  if (previous?.manifestHash === manifestHash) return { added: [], changed: [], removed: [] };
  const before = previous === null ? null : await unlessLost(readManifest(store, previous.manifestHash));
  return compareManifests(before, manifest);
}
