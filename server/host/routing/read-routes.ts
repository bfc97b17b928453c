import type { PipelineStage } from 'mongoose';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { ReleaseState } from '../../../routers/schemas/state-names.ts';
import { rowsOf } from '../../database/cursor-rows.ts';
import { DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { UploadModel } from '../../database/models/publishing/upload.ts';
import { parseUploadHost } from '../../lib/site-names.ts';
import { EARLIER_ASSETS_MS, type Route } from './site-list.ts';

/** The release that a name leads to by the database's current state. */
export type RouteRow = Omit<Route, 'earlier'> & {
  /** Releases that visitors had before, newest first; empty at an address of a single release. */
  replaced: Replaced[];
};
/** Covers the last day. `endedAt` is when the release was replaced, null until the next one was seen live. */
export type Replaced = { manifestHash: string; endedAt: Date | null };

/** From the first of these states on a release is complete and can be previewed; verification is the first to do so. */
const PREVIEWED: readonly ReleaseState[] = ['processing', 'verifying', 'live', 'superseded'];

/** Documents in one query; the host asks for all of them only at its start. */
const BATCH = 500;

type ServedDeployment = {
  _id: string;
  accountId: string;
  slug: string;
  destinations: readonly { platform: PlatformId }[];
  state: string;
  currentReleaseId?: string | null;
  isSinglePage: boolean;
  hasCleanUrls: boolean;
  reusedNames?: readonly string[] | null;
};

type ServedRelease = { _id: string; manifestHash: string };
type GivenWay = { _id: string; deploymentId: string; manifestHash: string; servedUntil?: Date | null };
/** A deployment with the release that it serves, and the one that this has replaced; each is there once or not at all. */
type Site = ServedDeployment & { current: ServedRelease[]; replaced: GivenWay[] };

const DEPLOYMENT_FIELDS = {
  accountId: 1,
  slug: 1,
  destinations: 1,
  state: 1,
  currentReleaseId: 1,
  isSinglePage: 1,
  hasCleanUrls: 1,
  reusedNames: 1,
} as const;
const GIVEN_WAY_FIELDS = { deploymentId: 1, manifestHash: 1, servedUntil: 1 } as const;

/** Returns the live sites among the matching deployments. */
const findSites = ($match: Record<string, unknown>) =>
  DeploymentModel.aggregate<Site>([
    { $match },
    { $project: DEPLOYMENT_FIELDS },
    joinRelease('current', 'currentReleaseId', { manifestHash: 1, replacedReleaseId: 1 }),
    joinRelease('replaced', 'current.replacedReleaseId', GIVEN_WAY_FIELDS),
  ]);

function joinRelease(as: keyof Site, localField: string, $project: Record<string, 1>): PipelineStage.Lookup {
  const from = ReleaseModel.collection.name;
  return { $lookup: { from, localField, foreignField: '_id', pipeline: [{ $project }], as } };
}

/** Yields every live site of the built-in host, a batch at a time. */
export async function* readAllRoutes(now: Date): AsyncGenerator<RouteRow[]> {
  const served = findSites({ currentReleaseId: { $gt: '' } }).cursor({ batchSize: BATCH });
  let batch: Site[] = [];
  for await (const deployment of rowsOf(served)) {
    batch.push(deployment);
    if (batch.length < BATCH) continue;
    yield await routesOf(batch, now);
    batch = [];
  }
  if (batch.length > 0) yield await routesOf(batch, now);
}

/** Returns the live sites among these deployments; one that is missing serves nothing. */
export async function readRoutes(deploymentIds: readonly string[], now: Date): Promise<RouteRow[]> {
  return routesOf(await findSites({ _id: { $in: [...deploymentIds] } }), now);
}

async function routesOf(deployments: readonly Site[], now: Date): Promise<RouteRow[]> {
  const served = deployments.filter((deployment) => isServed(deployment) && deployment.current.length > 0);
  if (served.length === 0) return [];
  const before = await readGivenWay(served, new Date(now.getTime() - EARLIER_ASSETS_MS));
  return served.flatMap((deployment) =>
    deployment.current.map((release) => toRow(deployment, release, before.get(deployment._id))),
  );
}

/**
 * Returns by deployment, newest first, the releases that were replaced since then or have just been switched away
 * from.
 */
async function readGivenWay(deployments: readonly Site[], since: Date): Promise<Map<string, Replaced[]>> {
  const deploymentId = { $in: deployments.map(({ _id }) => _id) };
  const left = await ReleaseModel.find({ deploymentId, servedUntil: { $gt: since } }, GIVEN_WAY_FIELDS)
    .setOptions({ acrossAccounts: 'host' })
    // Where few match, plans are equally good in the planner's trial, and that by number would be kept for all.
    .hint('deployment_served_until')
    .lean<GivenWay[]>();
  // Until the next release was seen live, nothing says when this one was replaced.
  const replaced = deployments.flatMap((deployment) => deployment.replaced);
  const recent = [...replaced, ...left].filter(({ servedUntil }) => !servedUntil || servedUntil > since);
  const given = [...new Map(recent.map((release) => [release._id, release])).values()];
  const byDeployment = new Map<string, Replaced[]>();
  const timeOf = ({ servedUntil }: GivenWay): number => servedUntil?.getTime() ?? Number.POSITIVE_INFINITY;
  for (const release of given.sort((a, b) => timeOf(b) - timeOf(a))) {
    const ofDeployment = byDeployment.get(release.deploymentId) ?? [];
    ofDeployment.push({ manifestHash: release.manifestHash, endedAt: release.servedUntil ?? null });
    byDeployment.set(release.deploymentId, ofDeployment);
  }
  return byDeployment;
}

function toRow(deployment: ServedDeployment, release: ServedRelease, replaced: Replaced[] = []): RouteRow {
  return {
    slug: deployment.slug,
    deploymentId: deployment._id,
    accountId: deployment.accountId,
    releaseId: release._id,
    manifestHash: release.manifestHash,
    isSinglePage: deployment.isSinglePage,
    hasCleanUrls: deployment.hasCleanUrls,
    reusedNames: deployment.reusedNames ?? [],
    replaced,
  };
}

function isServed(deployment: ServedDeployment): boolean {
  const isHere = deployment.destinations.some(({ platform }) => PLATFORMS[platform].isServedHere === true);
  return isHere && deployment.state !== 'deleting';
}

/** Returns the id of the deployment that has this name now, or null. */
export async function findDeploymentId(slug: string): Promise<string | null> {
  const deployment = await DeploymentModel.findOne({ slug }, { _id: 1 }).setOptions({ acrossAccounts: 'host' }).lean();
  return deployment?._id ?? null;
}

/** Returns a release at its own address, or null when there is none that can be previewed. */
export async function findPreview(slug: string, number: number): Promise<RouteRow | null> {
  const deployment = await DeploymentModel.findOne({ slug }, DEPLOYMENT_FIELDS)
    .setOptions({ acrossAccounts: 'host' })
    .lean();
  if (deployment === null || !isServed(deployment)) return null;
  const release = await ReleaseModel.findOne({ deploymentId: deployment._id, number }, { manifestHash: 1, state: 1 })
    .setOptions({ acrossAccounts: 'host' })
    .lean();
  if (release === null || !PREVIEWED.includes(release.state)) return null;
  return toRow(deployment, release);
}

/**
 * Returns an upload for its owner's preview; null when it is gone, or when no preview was requested. It is read anew
 * for each request, because its files change without notice.
 */
export async function findUpload(sitesDomain: string, host: string): Promise<Route | null> {
  const uploadId = parseUploadHost(sitesDomain, host) ?? '';
  const upload = await UploadModel.findOne({ _id: uploadId, state: 'open' })
    .setOptions({ acrossAccounts: 'host' })
    .lean();
  const manifestHash = upload?.manifestHash ?? null;
  if (upload === null || manifestHash === null || upload.previewHash !== manifestHash) return null;
  const { accountId, deploymentId } = upload;
  const deployment = await DeploymentModel.findOne({ _id: deploymentId ?? '', accountId }, DEPLOYMENT_FIELDS).lean();
  if (deployment === null || deployment.state === 'deleting') return null;
  const { replaced: _, ...route } = toRow(deployment, { _id: uploadId, manifestHash });
  return { ...route, earlier: [] };
}
