import { CORRUPTED_FILES_MAX } from '../../../routers/schemas/limits.ts';
import type { Release, ReleaseDetail, ReleaseStep } from '../../../routers/schemas/releases.ts';
import { RELEASE_STEPS, type ReleaseStepName } from '../../../routers/schemas/states.ts';
import type { AccountContext, Addresses } from '../../context.ts';
import {
  DeploymentModel,
  type DeploymentRow,
  othersOf,
  primaryOf,
} from '../../database/models/publishing/deployment.ts';
import { PublicationModel, type PublicationRow } from '../../database/models/publishing/publication.ts';
import type { ReleaseRow } from '../../database/models/publishing/release.ts';
import { releaseUrlOf, siteOf, siteUrlOf, toDestination, toShownError } from '../../database/site-address.ts';
import { notFound } from '../../lib/errors.ts';
import { type ListedPublication, SHOWN_IN_LISTS } from './join-deployment.ts';

/** Reads its deployment as well. Throws `not_found` when that was removed meanwhile. */
export async function toReleaseOf(ctx: AccountContext, doc: ReleaseRow): Promise<Release> {
  const { accountId } = ctx.actor;
  const deployment = await DeploymentModel.findOne({ _id: doc.deploymentId, accountId }).lean();
  if (deployment === null) throw notFound('release');
  const publications = await PublicationModel.find({ accountId, releaseId: doc._id }, SHOWN_IN_LISTS).lean();
  return toRelease(ctx.providers.addresses, doc, publications, deployment);
}

/** Returns the document with its deployment's name and addresses, and with its publications. */
export function toRelease(
  addresses: Addresses,
  doc: ReleaseRow,
  publications: readonly ListedPublication[],
  deployment: DeploymentRow,
): Release {
  const site = siteOf(deployment);
  const ordered = inOrder(publications, deployment);
  return {
    id: doc._id,
    deploymentId: doc.deploymentId,
    deploymentName: deployment.name,
    deploymentSlug: deployment.slug,
    platform: site.platform,
    number: doc.number,
    state: doc.state,
    isCurrent: deployment.currentReleaseId === doc._id,
    source: doc.source,
    createdBy: doc.createdBy,
    url: siteUrlOf(addresses, site),
    previewUrl: releaseUrlOf(addresses, { ...site, number: doc.number, ownUrl: ordered[0]?.ownUrl }),
    primaryId: ordered[0]?.destinationId ?? deployment.primaryId,
    destinations: ordered.map((one) => ({
      ...toDestination(addresses, deployment.slug, { ...one, _id: one.destinationId }),
      missingLinks: [...(one.missingLinks ?? [])],
    })),
    fileCount: doc.fileCount,
    totalBytes: doc.totalBytes,
    changedFiles: doc.changedFiles,
    corruptedFiles: [...new Set(doc.corruptedFiles.map((file) => file.path))].slice(0, CORRUPTED_FILES_MAX),
    hasStartPage: doc.hasStartPage ?? true,
    ...(doc.needsBuild && { needsBuild: true }),
    error: toShownError(doc.error),
    createdAt: doc.createdAt,
    startedAt: doc.startedAt ?? null,
    finishedAt: doc.finishedAt ?? null,
  };
}

/** Sorts the primary destination first, then the others in the deployment's order, and former ones last. */
function inOrder<Publication extends Pick<PublicationRow, 'destinationId'>>(
  publications: readonly Publication[],
  deployment: DeploymentRow,
): Publication[] {
  const places = [primaryOf(deployment), ...othersOf(deployment)];
  const at = ({ destinationId }: Publication): number => {
    const index = places.findIndex(({ _id }) => _id === destinationId);
    return index < 0 ? places.length : index;
  };
  return [...publications].sort((one, other) => at(one) - at(other));
}

type Stepped = Pick<PublicationRow, 'destinationId' | 'steps'>;

/** Returns the steps at the primary destination, and those at each of the others. */
export function toSteps(
  publications: readonly Stepped[],
  deployment: DeploymentRow,
): Pick<ReleaseDetail, 'steps' | 'furtherSteps'> {
  const all = inOrder(publications, deployment).map(({ destinationId, steps }) => ({
    destinationId,
    steps: RELEASE_STEPS.map((name) => toReleaseStep(name, steps[name])),
  }));
  return { steps: all.slice(0, 1).flatMap(({ steps }) => steps), furtherSteps: all.slice(1) };
}

function toReleaseStep(name: ReleaseStepName, step: PublicationRow['steps'][ReleaseStepName]): ReleaseStep {
  return {
    name,
    state: step.state,
    startedAt: step.startedAt ?? null,
    endedAt: step.endedAt ?? null,
    done: step.done,
    total: step.total,
    doneBytes: step.doneBytes,
    totalBytes: step.totalBytes,
    doneBefore: step.doneBefore ?? null,
    doneBytesBefore: step.doneBytesBefore ?? null,
    log: step.log.map(({ at, text }) => ({ at, text })),
  };
}
