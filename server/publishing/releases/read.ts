import type { PipelineStage } from 'mongoose';
import { visiblePath } from '../../../routers/rules/uploads/upload-rules.ts';
import { PAGE_SIZE_DEFAULT } from '../../../routers/schemas/primitives.ts';
import {
  DIFF_FILES_MAX,
  type DifferingFile,
  type DiffReleaseInput,
  type GetReleaseInput,
  type ListedRelease,
  type ListReleasesInput,
  type ReleaseDetail,
  type ReleaseDiff,
  type ReleaseList,
} from '../../../routers/schemas/releases.ts';
import {
  type ListedReleaseState,
  RUNNING_RELEASE_STATES,
  STATES_THAT_WAIT,
} from '../../../routers/schemas/state-names.ts';
import type { AccountContext } from '../../context.ts';
import { PublicationModel, type PublicationRow } from '../../database/models/publishing/publication.ts';
import { type ReleaseDoc, ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { afterCursor, decodeCursor, encodeCursor, unknownCursor } from '../../lib/page-cursor.ts';
import { compareManifests, type Manifest } from '../../store/manifest.ts';
import { comparedRelease, readManifest } from '../publication/release-files.ts';
import { withFileListSlot } from '../uploads/file-list-slot.ts';
import {
  joinDeployment,
  joinPublications,
  SHOWN_IN_LISTS,
  type WithDeployment,
  type WithPublications,
} from './join-deployment.ts';
import { findRollBacks, listRollBacks, toRollBacks } from './roll-backs.ts';
import { toRelease, toSteps } from './to-release.ts';

/**
 * Returns releases of one deployment by number, or of the whole account by time; newest first, with the rollbacks of
 * the time that the page covers.
 */
export async function listReleases(ctx: AccountContext, input: ListReleasesInput): Promise<ReleaseList> {
  const { accountId } = ctx.actor;
  const { addresses } = ctx.providers;
  const limit = input?.limit ?? PAGE_SIZE_DEFAULT;
  const state = input?.state;
  if (state === 'rolled_back') return { items: [], ...(await listRollBacks(ctx, { ...input, limit })) };
  const { rows, cursorOf, until } = await readCursorPage(accountId, input, state, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const span = { after: hasMore ? last.createdAt : null, until };
  const rollBacks = state === undefined ? await findRollBacks(accountId, input?.deploymentId, span) : [];
  return {
    items: page.flatMap((row) =>
      row.deployment.map((deployment) => ({
        ...toRelease(addresses, row, row.publications, deployment),
        ...toServing(row),
      })),
    ),
    rollBacks: rollBacks.flatMap((row) => toRollBacks(addresses, row)),
    nextCursor: hasMore ? cursorOf(last) : null,
  };
}

type ReleaseWithDeployment = WithServing<WithPublications<WithDeployment<ReleaseRow>>>;
type ReleaseListState = Exclude<ListedReleaseState, 'rolled_back'>;
/** `until` is the time at which the previous page ended; null for the first. */
type CursorPage = { rows: ReleaseWithDeployment[]; cursorOf(last: ReleaseRow): string; until: Date | null };

async function readCursorPage(
  accountId: string,
  input: ListReleasesInput,
  wanted: ReleaseListState | undefined,
  count: number,
): Promise<CursorPage> {
  const state = wanted === undefined ? {} : await releaseStateFilter(accountId, wanted);
  const { deploymentId, cursor } = input ?? {};
  if (deploymentId === undefined) {
    const until = cursor === undefined ? null : decodeCursor(cursor).at;
    const rows = await readRows({ accountId, ...state, ...afterCursor(cursor) }, { createdAt: -1, _id: -1 }, count);
    return { rows, cursorOf: encodeCursor, until };
  }
  const end = cursor === undefined ? null : numberCursor(cursor);
  // The last row of the previous page is included for its time.
  const from = end === null ? state : { number: { $lte: end }, $or: [{ number: end }, state] };
  const rows = await readRows({ accountId, deploymentId, ...from }, { number: -1 }, count + (end === null ? 0 : 1));
  const ended = rows[0]?.number === end ? rows.shift() : undefined;
  return { rows: rows.slice(0, count), cursorOf: (last) => String(last.number), until: ended?.createdAt ?? null };
}

function readRows(
  filter: Record<string, unknown>,
  sort: Record<string, -1>,
  count: number,
): Promise<ReleaseWithDeployment[]> {
  const { accountId } = filter;
  return ReleaseModel.aggregate<ReleaseWithDeployment>([
    { $match: filter },
    { $sort: sort },
    { $limit: count },
    ...joinDeployment(String(accountId)),
    ...joinPublications(String(accountId), SHOWN_IN_LISTS),
    joinServing(String(accountId)),
  ]).hint('number' in sort ? 'account_deployment_newest' : 'account_newest');
}

/**
 * `publishing` is any running state of a release that does not wait. While a release runs, its primary platform is the
 * only one that can wait.
 */
async function releaseStateFilter(accountId: string, state: ReleaseListState): Promise<Record<string, unknown>> {
  if (state !== 'waiting' && state !== 'publishing') return { state };
  const waiting = await PublicationModel.find({ accountId, state: 'waiting' }, { _id: 0, releaseId: 1 })
    .hint('account_state')
    .lean();
  const ids = waiting.map(({ releaseId }) => releaseId);
  return state === 'waiting'
    ? { _id: { $in: ids }, state: { $in: [...STATES_THAT_WAIT] } }
    : { _id: { $nin: ids }, state: { $in: [...RUNNING_RELEASE_STATES] } };
}

function numberCursor(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw unknownCursor();
  return Number(cursor);
}

/** Returns one release with its steps, by its id or by its number within a deployment. Throws `not_found`. */
export async function getRelease(ctx: AccountContext, input: GetReleaseInput): Promise<ReleaseDetail> {
  const { accountId } = ctx.actor;
  const filter =
    'releaseId' in input ? { _id: input.releaseId } : { deploymentId: input.deploymentId, number: input.number };
  const [row] = await ReleaseModel.aggregate<
    WithServing<WithPublications<WithDeployment<ReleaseRow>, PublicationRow>> & { replaced: Numbered[] }
  >([
    { $match: { ...filter, accountId } },
    ...joinDeployment(accountId),
    ...joinPublications(accountId),
    joinServing(accountId),
    joinNumber('replaced', 'replacedReleaseId', { accountId, state: 'superseded' }),
  ]);
  const deployment = row?.deployment[0];
  if (row === undefined || deployment === undefined) throw notFound('release');
  return {
    ...toRelease(ctx.providers.addresses, row, row.publications, deployment),
    ...toSteps(row.publications, deployment),
    ...toServing(row),
    brokenLinks: (row.brokenLinks ?? [])
      .filter(({ isToldAsFile }) => !isToldAsFile)
      .map(({ path, line, text }) => ({ path: visiblePath(path), line, text })),
    replaced: row.replaced.map(({ _id: id, number }) => ({ id, number }))[0] ?? null,
  };
}

type Numbered = Pick<ReleaseRow, '_id' | 'number'>;
type WithServing<Row> = Row & { serving: Numbered[] };

function joinServing(accountId: string): PipelineStage.Lookup {
  return joinNumber('serving', 'deployment.currentReleaseId', { accountId });
}

function toServing(row: WithServing<unknown>): Pick<ListedRelease, 'servingNumber'> {
  return { servingNumber: row.serving[0]?.number ?? null };
}

function joinNumber(as: string, localField: string, match: Record<string, string>): PipelineStage.Lookup {
  const pipeline = [{ $match: match }, { $project: { number: 1 } }];
  return { $lookup: { from: ReleaseModel.collection.name, localField, foreignField: '_id', pipeline, as } };
}

/**
 * Compares the files of the release with those of another one of its deployment: the named one, otherwise the one that
 * visitors had when it was made. Throws `not_found`, `conflict` for a release of another deployment, `rate_limited`.
 */
export async function diffRelease(ctx: AccountContext, input: DiffReleaseInput): Promise<ReleaseDiff> {
  const doc = await findRelease(ctx, input.releaseId);
  const previous = input.against === undefined ? await comparedRelease(doc) : await findRelease(ctx, input.against);
  if (previous !== null && previous.deploymentId !== doc.deploymentId) {
    throw new AppError('conflict', 'Only releases of the same deployment can be compared.');
  }
  const { store } = ctx.providers;
  return withFileListSlot(ctx, async () => {
    const before: Manifest = previous === null ? new Map() : await readManifest(store, previous.manifestHash);
    const after = await readManifest(store, doc.manifestHash);
    const { _id: previousId = null, number: previousNumber = null } = previous ?? {};
    return { previousId, previousNumber, ...(await listDifferences(before, after)) };
  });
}

async function listDifferences(
  before: Manifest,
  after: Manifest,
): Promise<Omit<ReleaseDiff, 'previousId' | 'previousNumber'>> {
  const { added, changed, removed } = await compareManifests(before, after);
  const cut = (paths: string[], manifest: Manifest): DifferingFile[] =>
    paths.slice(0, DIFF_FILES_MAX).map((path) => ({ path, sizeBytes: manifest.get(path)?.sizeBytes ?? 0 }));
  return {
    added: cut(added, after),
    changed: cut(changed, after).map((file) => ({
      ...file,
      sha256: after.get(file.path)?.sha256 ?? '',
      previousBytes: before.get(file.path)?.sizeBytes ?? 0,
      previousSha256: before.get(file.path)?.sha256 ?? '',
    })),
    removed: cut(removed, before),
    counts: { added: added.length, changed: changed.length, removed: removed.length },
    isCut: [added, changed, removed].some((paths) => paths.length > DIFF_FILES_MAX),
  };
}

/** Returns the account's own document, or throws `not_found`. Joins a transaction that is under way. */
export async function findRelease(ctx: AccountContext, releaseId: string): Promise<ReleaseDoc> {
  const doc = await ReleaseModel.findOne({ _id: releaseId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('release');
  return doc;
}
