import type {
  Deployment,
  DeploymentList,
  DeploymentPlatforms,
  GetDeploymentInput,
  ListDeploymentsInput,
  ReleaseRef,
} from '../../../routers/schemas/deployments.ts';
import { PAGE_SIZE_DEFAULT } from '../../../routers/schemas/primitives.ts';
import { type DeploymentState, STATES_THAT_WAIT } from '../../../routers/schemas/state-names.ts';
import { connectionsOfAll, lostConnections } from '../../connections/lost-connections.ts';
import type { AccountContext, Addresses } from '../../context.ts';
import { type Rows, rowsOf } from '../../database/cursor-rows.ts';
import {
  DeploymentModel,
  type DeploymentRow,
  othersOf,
  primaryOf,
} from '../../database/models/publishing/deployment.ts';
import { DeploymentHealthModel } from '../../database/models/publishing/deployment-health.ts';
import { ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import { siteOf, siteUrlOf, toDestination } from '../../database/site-address.ts';
import { notFound } from '../../lib/errors.ts';
import { afterCursor, encodeCursor } from '../../lib/page-cursor.ts';
import { searchFilter } from './search.ts';
import { type ActiveDomain, visitUrls, withActiveDomains } from './visit-urls.ts';

const CARE_BATCH = 200;
/** Fields that are never shown; the names can be many. */
const UNSHOWN = {
  nameKey: 0,
  reusedNames: 0,
  'destinations.targetId': 0,
  'destinations.wantedName': 0,
  'destinations.releaseId': 0,
  'destinations.isMove': 0,
} as const;
/** Lists do not say either what may be left at a platform, which can be large. */
const UNLISTED = { ...UNSHOWN, 'destinations.site': 0 } as const;
type ShownRow = Omit<DeploymentRow, keyof typeof UNSHOWN>;

/**
 * Returns the account's deployments, the one with the latest change first. A deployment that changes while the pages are read moves to the first page, which its event loads again.
 */
export async function listDeployments(ctx: AccountContext, input: ListDeploymentsInput): Promise<DeploymentList> {
  const { accountId } = ctx.actor;
  const limit = input?.limit ?? PAGE_SIZE_DEFAULT;
  const filter = {
    accountId,
    ...(input?.state !== undefined && shownStateFilter(input.state)),
    ...(input?.platform !== undefined && { 'destinations.platform': input.platform }),
    $and: [await searchFilter(ctx, input?.search ?? ''), afterCursor(input?.cursor, 'updatedAt')],
  };
  const index = input?.platform === undefined ? 'account_latest' : 'account_platform_latest';
  const latest = DeploymentModel.find(filter, UNLISTED).sort({ updatedAt: -1, _id: -1 }).hint(index);
  const docs =
    input?.needsCare === true
      ? await firstInCare(accountId, latest.lean().cursor({ batchSize: CARE_BATCH }), limit + 1)
      : await latest.limit(limit + 1).lean();
  const page = docs.slice(0, limit);
  const last = page.at(-1);
  return {
    items: await toDeployments(ctx.providers.addresses, accountId, page),
    nextCursor: docs.length > limit && last !== undefined ? encodeCursor(last, last.updatedAt) : null,
  };
}

/** Returns the platforms of all deployments, further ones included, in no order. */
export async function listPlatforms({ actor }: AccountContext): Promise<DeploymentPlatforms> {
  return { items: await DeploymentModel.distinct('destinations.platform', { accountId: actor.accountId }) };
}

const PRIMARY_WAITS = {
  $in: [['$primaryId', 'waiting'], { $map: { input: '$destinations', in: ['$$this._id', '$$this.state'] } }],
};

/** A deployment that waits is found as waiting alone, the state that the lists show (src/lib/waiting.ts). */
function shownStateFilter(state: DeploymentState | 'waiting'): Record<string, unknown> {
  if (state === 'waiting') return { state: { $in: [...STATES_THAT_WAIT] }, $expr: PRIMARY_WAITS };
  return state === 'deploying' ? { state, $expr: { $not: [PRIMARY_WAITS] } } : { state };
}

/**
 * Returns the first deployments that need their owner's attention. They are read in batches, because an account may
 * have any number.
 */
async function firstInCare(accountId: string, rows: Rows<ShownRow>, limit: number): Promise<ShownRow[]> {
  const found: ShownRow[] = [];
  let batch: ShownRow[] = [];
  for await (const row of rowsOf(rows)) {
    batch.push(row);
    if (batch.length < CARE_BATCH) continue;
    found.push(...(await inCare(accountId, batch)));
    if (found.length >= limit) return found.slice(0, limit);
    batch = [];
  }
  return [...found, ...(await inCare(accountId, batch))].slice(0, limit);
}

/** Reads both releases of each deployment, since the outcome may be recorded with the live or with the latest one. */
async function inCare(accountId: string, rows: readonly ShownRow[]): Promise<ShownRow[]> {
  const ids = rows.flatMap((row) => [row.currentReleaseId ?? [], row.latestReleaseId ?? []].flat());
  const releases = await ReleaseModel.find(
    { _id: { $in: ids }, accountId, $or: [{ state: 'failed' }, { 'corruptedFiles.0': { $exists: true } }] },
    { state: 1 },
  ).lean();
  const connections = await connectionsOfAll(accountId, rows);
  const failed = new Set(releases.flatMap(({ _id, state }) => (state === 'failed' ? [_id] : [])));
  const bad = new Set(releases.map(({ _id }) => _id));
  const unhealthy = await DeploymentHealthModel.find(
    { _id: { $in: rows.map(({ _id }) => _id) }, accountId, 'checks.verdict': 'fail' },
    { _id: 1 },
  ).lean();
  const down = new Set(unhealthy.map(({ _id }) => _id));
  return rows.filter((row) =>
    row.state === 'deleting'
      ? row.destinations.some(({ error }) => error !== null && error !== undefined)
      : failed.has(row.latestReleaseId ?? '') ||
        bad.has(row.currentReleaseId ?? '') ||
        down.has(row._id) ||
        row.destinations.some(({ state }) => state === 'waiting') ||
        othersOf(row).some(({ state }) => state === 'failed') ||
        lostConnections(row, connections).some(({ connectionId }) => connectionId === null),
  );
}

/** Returns one deployment. Throws `not_found`. */
export async function getDeployment(ctx: AccountContext, input: GetDeploymentInput): Promise<Deployment> {
  const own = { _id: input.deploymentId, accountId: ctx.actor.accountId };
  const row = await DeploymentModel.findOne(own, UNSHOWN).lean();
  if (row === null) throw notFound('deployment');
  return toDeployment(ctx, row);
}

/** Returns the deployment with its addresses and the releases that it names. */
export async function toDeployment(ctx: AccountContext, doc: ShownRow): Promise<Deployment> {
  const [deployment] = await toDeployments(ctx.providers.addresses, ctx.actor.accountId, [doc]);
  if (deployment === undefined) throw new Error('One document gave no deployment.');
  return deployment;
}

/** Does so for many deployments of one account, with one query for all their releases and domains. */
export async function toDeployments(
  addresses: Addresses,
  accountId: string,
  docs: readonly ShownRow[],
): Promise<Deployment[]> {
  const [{ refs, active }, connections] = await Promise.all([
    readNamed(accountId, docs),
    connectionsOfAll(accountId, docs),
  ]);
  const domainUrls = await visitUrls(addresses, accountId, active);
  return docs.map((doc) => ({
    ...assemble(addresses, doc, { refs, domainUrls }),
    lostConnections: lostConnections(doc, connections),
  }));
}

function assemble(
  addresses: Addresses,
  doc: ShownRow,
  { refs, domainUrls }: { refs: ReadonlyMap<string, ReleaseRef>; domainUrls: ReadonlyMap<string, string> },
): Omit<Deployment, 'lostConnections'> {
  const site = siteOf(doc);
  const url = siteUrlOf(addresses, site);
  return {
    id: doc._id,
    name: doc.name,
    slug: doc.slug,
    platform: site.platform,
    state: doc.state,
    url,
    visitUrl: domainUrls.get(doc._id) ?? url,
    primaryId: doc.primaryId,
    destinations: [primaryOf(doc), ...othersOf(doc)].map((one) => toDestination(addresses, doc.slug, one)),
    currentRelease: refs.get(doc.currentReleaseId ?? '') ?? null,
    latestRelease: refs.get(doc.latestReleaseId ?? '') ?? null,
    releaseCount: doc.releaseCount,
    isSinglePage: doc.isSinglePage,
    hasCleanUrls: doc.hasCleanUrls,
    ...(doc.leavesSites && { leavesSites: true }),
    createdAt: doc.createdAt,
    updatedAt: doc.updatedAt,
  };
}

/** Reads the releases that these deployments name, and the active domains that lead to them. */
async function readNamed(
  accountId: string,
  docs: readonly ShownRow[],
): Promise<{ refs: Map<string, ReleaseRef>; active: ActiveDomain[] }> {
  const ids = docs.flatMap((doc) => [doc.currentReleaseId, doc.latestReleaseId]).filter((id) => typeof id === 'string');
  const deploymentIds = docs.map(({ _id }) => _id);
  const rows = await ReleaseModel.aggregate<NamedRelease | ActiveDomain>([
    { $match: { _id: { $in: [...new Set(ids)] }, accountId } },
    { $project: REFERENCE },
    withActiveDomains(accountId, deploymentIds),
  ]);
  const refs = new Map(rows.flatMap((row) => ('servedName' in row ? [] : [[row._id, toReleaseRef(row)]])));
  return { refs, active: rows.filter((row) => 'servedName' in row) };
}

const REFERENCE = {
  number: 1,
  state: 1,
  source: 1,
  createdAt: 1,
  finishedAt: 1,
  liveSince: 1,
  error: 1,
  corruptedFiles: 1,
  hasStartPage: 1,
  needsBuild: 1,
  missing: 1,
} as const;

type NamedRelease = Pick<ReleaseRow, '_id' | keyof typeof REFERENCE>;

function toReleaseRef(doc: NamedRelease): ReleaseRef {
  return {
    id: doc._id,
    number: doc.number,
    state: doc.state,
    source: doc.source,
    createdAt: doc.createdAt,
    finishedAt: doc.finishedAt ?? null,
    liveSince: doc.liveSince ?? null,
    errorMessage: doc.error?.message ?? null,
    corruptedFileCount: new Set(doc.corruptedFiles.map((file) => file.path)).size,
    hasStartPage: doc.hasStartPage ?? true,
    ...(doc.needsBuild && { needsBuild: true }),
    ...(doc.missing && { missing: doc.missing }),
  };
}
