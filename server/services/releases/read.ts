import type { ClientSession } from 'mongoose';
import { DAMAGED_FILES_MAX } from '../../../routers/schemas/limits.ts';
import { PAGE_SIZE_DEFAULT } from '../../../routers/schemas/primitives.ts';
import {
  DIFF_FILES_MAX,
  type DifferingFile,
  type DiffReleaseInput,
  type GetReleaseInput,
  type ListReleasesInput,
  type Release,
  type ReleaseDetail,
  type ReleaseDiff,
  type ReleaseList,
  type ReleaseStep,
} from '../../../routers/schemas/releases.ts';
import { RELEASE_STEPS } from '../../../routers/schemas/states.ts';
import { compareManifests, decodeManifest, type Manifest } from '../../artifacts/manifest.ts';
import type { ArtifactStore } from '../../artifacts/store.ts';
import { AppError, notFound } from '../../errors.ts';
import { type DeploymentDoc, DeploymentModel } from '../../models/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../../models/release.ts';
import { type ReleaseStepDoc, ReleaseStepModel } from '../../models/release-step.ts';
import type { AccountContext, Addresses } from '../../service-context.ts';
import { afterCursor, decodeCursor, encodeCursor, unknownCursor } from '../page-cursor.ts';
import { releaseUrlOf, siteUrlOf } from '../site-address.ts';
import { inTurn } from './list-turn.ts';
import { findRollBacks, toRollBack } from './roll-backs.ts';

/**
 * Releases of one deployment by number, or of the whole account by time; newest first, with the roll backs of the time
 * that the page covers.
 */
export async function listReleases(ctx: AccountContext, input: ListReleasesInput): Promise<ReleaseList> {
  const { accountId } = ctx.actor;
  const limit = input?.limit ?? PAGE_SIZE_DEFAULT;
  const { docs, cursorOf } = await readPage(accountId, input, limit + 1);
  const page = docs.slice(0, limit);
  const last = page.at(-1);
  const hasMore = docs.length > limit && last !== undefined;
  const span = { after: hasMore ? last.createdAt : null, until: await startOf(accountId, input) };
  const rollBacks = input?.state === undefined ? await findRollBacks(accountId, input?.deploymentId, span) : [];
  const deployments = await deploymentsOf(accountId, [...page, ...rollBacks]);
  return {
    items: page.flatMap((doc) => {
      const deployment = deployments.get(doc.deploymentId);
      return deployment === undefined ? [] : [toRelease(ctx.providers.addresses, doc, deployment)];
    }),
    rollBacks: rollBacks.flatMap((doc) => {
      const deployment = deployments.get(doc.deploymentId);
      return deployment === undefined ? [] : [toRollBack(doc, deployment)];
    }),
    nextCursor: hasMore ? cursorOf(last) : null,
  };
}

/** When the page before this one ended; null for the first. */
async function startOf(accountId: string, input: ListReleasesInput): Promise<Date | null> {
  if (input?.cursor === undefined) return null;
  if (input.deploymentId === undefined) return decodeCursor(input.cursor).createdAt;
  const number = numberCursor(input.cursor);
  const before = await ReleaseModel.findOne({ accountId, deploymentId: input.deploymentId, number }, { createdAt: 1 });
  return before?.createdAt ?? null;
}

type Page = { docs: ReleaseDoc[]; cursorOf(last: ReleaseDoc): string };

async function readPage(accountId: string, input: ListReleasesInput, count: number): Promise<Page> {
  const state = input?.state === undefined ? {} : { state: input.state };
  if (input?.deploymentId !== undefined) {
    const before = input.cursor === undefined ? {} : { number: { $lt: numberCursor(input.cursor) } };
    const docs = await ReleaseModel.find({ accountId, deploymentId: input.deploymentId, ...state, ...before })
      .sort({ number: -1 })
      .hint('account_deployment_newest')
      .limit(count);
    return { docs, cursorOf: (last) => String(last.number) };
  }
  const docs = await ReleaseModel.find({ accountId, ...state, ...afterCursor(input?.cursor) })
    .sort({ createdAt: -1, _id: -1 })
    .hint('account_newest')
    .limit(count);
  return { docs, cursorOf: encodeCursor };
}

function numberCursor(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw unknownCursor();
  return Number(cursor);
}

/** One release with its steps, by its id or by its number within a deployment. Throws `not_found`. */
export async function getRelease(ctx: AccountContext, input: GetReleaseInput): Promise<ReleaseDetail> {
  const { accountId } = ctx.actor;
  const doc = await ReleaseModel.findOne(
    'releaseId' in input
      ? { _id: input.releaseId, accountId }
      : { deploymentId: input.deploymentId, number: input.number, accountId },
  );
  if (doc === null) throw notFound('release');
  const deployment = await DeploymentModel.findOne({ _id: doc.deploymentId, accountId });
  if (deployment === null) throw notFound('release');
  const current = await ReleaseModel.findOne({ _id: deployment.currentReleaseId ?? '', accountId }, { number: 1 });
  return {
    ...toRelease(ctx.providers.addresses, doc, deployment),
    steps: await readSteps(accountId, doc._id),
    servingNumber: current?.number ?? null,
  };
}

/**
 * What the release has that another one of its deployment has not: the one named, else the last before it that was ever
 * live. Throws `not_found`, `conflict` for a release of another deployment, `rate_limited`.
 */
export async function diffRelease(ctx: AccountContext, input: DiffReleaseInput): Promise<ReleaseDiff> {
  const doc = await findRelease(ctx, input.releaseId);
  const previous =
    input.against === undefined
      ? await previousRelease(ctx.actor.accountId, doc.deploymentId, doc.number)
      : await findRelease(ctx, input.against);
  if (previous !== null && previous.deploymentId !== doc.deploymentId) {
    throw new AppError('conflict', 'Only releases of one deployment can be compared.');
  }
  const { store } = ctx.providers;
  return inTurn(ctx, async () => {
    const before: Manifest = previous === null ? new Map() : await readManifest(store, previous.manifestHash);
    const after = await readManifest(store, doc.manifestHash);
    return { previousNumber: previous?.number ?? null, ...listDifferences(before, after) };
  });
}

function listDifferences(before: Manifest, after: Manifest): Omit<ReleaseDiff, 'previousNumber'> {
  const { added, changed, removed } = compareManifests(before, after);
  const cut = (paths: string[], manifest: Manifest): DifferingFile[] =>
    paths.slice(0, DIFF_FILES_MAX).map((path) => ({ path, sizeBytes: manifest.get(path)?.sizeBytes ?? 0 }));
  return {
    added: cut(added, after),
    changed: cut(changed, after).map((file) => ({ ...file, previousBytes: before.get(file.path)?.sizeBytes ?? 0 })),
    removed: cut(removed, before),
    counts: { added: added.length, changed: changed.length, removed: removed.length },
    isCut: [added, changed, removed].some((paths) => paths.length > DIFF_FILES_MAX),
  };
}

/** The account's own document, or `not_found`. Joins a transaction that is under way. */
export async function findRelease(ctx: AccountContext, releaseId: string): Promise<ReleaseDoc> {
  const doc = await ReleaseModel.findOne({ _id: releaseId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('release');
  return doc;
}

/** The one that a release is compared with: the last before it that was ever live. */
export async function previousRelease(
  accountId: string,
  deploymentId: string,
  number: number,
  session: ClientSession | null = null,
): Promise<ReleaseDoc | null> {
  return ReleaseModel.findOne({ accountId, deploymentId, number: { $lt: number }, verifiedAt: { $gt: new Date(0) } })
    .sort({ number: -1 })
    .hint('account_deployment_newest')
    .session(session);
}

/** The files of a release. Throws `artifact_damaged` when the store has lost the list. */
export async function readManifest(store: ArtifactStore, manifestHash: string): Promise<Manifest> {
  return decodeManifest(await store.readWhole(manifestHash));
}

/** Reads its deployment as well. Throws `not_found` when that was removed meanwhile. */
export async function toReleaseOf(ctx: AccountContext, doc: ReleaseDoc): Promise<Release> {
  const deployment = (await deploymentsOf(ctx.actor.accountId, [doc])).get(doc.deploymentId);
  if (deployment === undefined) throw notFound('release');
  return toRelease(ctx.providers.addresses, doc, deployment);
}

/** By id. What belongs to a deployment that was removed meanwhile is gone too. */
async function deploymentsOf(
  accountId: string,
  docs: readonly { deploymentId: string }[],
): Promise<Map<string, DeploymentDoc>> {
  const ids = [...new Set(docs.map((doc) => doc.deploymentId))];
  const deployments = await DeploymentModel.find({ _id: { $in: ids }, accountId });
  return new Map(deployments.map((deployment) => [deployment._id, deployment]));
}

/** The document with its deployment's name and addresses. */
export function toRelease(addresses: Addresses, doc: ReleaseDoc, deployment: DeploymentDoc): Release {
  return {
    id: doc._id,
    deploymentId: doc.deploymentId,
    deploymentName: deployment.name,
    deploymentSlug: deployment.slug,
    platform: deployment.platform,
    number: doc.number,
    state: doc.state,
    isCurrent: deployment.currentReleaseId === doc._id,
    source: doc.source,
    createdBy: doc.createdBy,
    url: siteUrlOf(addresses, deployment),
    previewUrl: releaseUrlOf(addresses, deployment, doc),
    fileCount: doc.fileCount,
    totalBytes: doc.totalBytes,
    changedFiles: doc.changedFiles,
    damagedFiles: [...new Set(doc.damagedFiles.map((file) => file.path))].slice(0, DAMAGED_FILES_MAX),
    error:
      doc.error === null || doc.error === undefined
        ? null
        : {
            code: doc.error.code,
            message: doc.error.message,
            hint: doc.error.hint ?? null,
            raw: doc.error.raw ?? null,
          },
    createdAt: doc.createdAt,
    startedAt: doc.startedAt ?? null,
    finishedAt: doc.finishedAt ?? null,
  };
}

/** In the order in which they run. */
export async function readSteps(accountId: string, releaseId: string): Promise<ReleaseStep[]> {
  const rows = await ReleaseStepModel.find({ accountId, releaseId });
  return RELEASE_STEPS.flatMap((name) => rows.filter((row) => row.name === name).map(toReleaseStep));
}

function toReleaseStep(row: ReleaseStepDoc): ReleaseStep {
  return {
    name: row.name,
    state: row.state,
    startedAt: row.startedAt ?? null,
    endedAt: row.endedAt ?? null,
    done: row.done,
    total: row.total,
    doneBytes: row.doneBytes,
    totalBytes: row.totalBytes,
    log: row.log.map(({ at, text }) => ({ at, text })),
  };
}
