import { nameNoticeSteps } from '../../../routers/schemas/name-notices.ts';
import type { DownloadReleaseInput, ReleaseDownload } from '../../../routers/schemas/releases.ts';
import { type Download, makeTicket, redeemTicket, type TicketPurpose } from '../../account/download-ticket.ts';
import { platformCall } from '../../connections/platform-call.ts';
import type { AccountContext, Providers, ServiceContext } from '../../context.ts';
import { type DeploymentDoc, DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/publishing/release.ts';
import { notFound, signedOut } from '../../lib/errors.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { type ArchiveFile, archiveSize, writeArchive } from '../../store/zip/archive.ts';
import type { HandOff } from '../platforms/platform.ts';
import { readManifest } from '../publication/release-files.ts';
import { withFileListSlot } from '../uploads/file-list-slot.ts';

type ReleaseArchive = Download & { sizeBytes: number; files: readonly { path: string }[] };

/**
 * Makes a link to the release as a ZIP that needs no header, so that a browser streams it to disk. It works for a minute
 * and for this release alone. Throws `not_found`, `rate_limited`.
 */
export async function prepareDownload(ctx: AccountContext, input: DownloadReleaseInput): Promise<ReleaseDownload> {
  const { releaseId } = input;
  const { fileName, sizeBytes, notices } = await withFileListSlot(ctx, async () => {
    const archive = await openDownload(ctx.providers, ctx.actor.accountId, releaseId);
    return { ...archive, notices: await runInTimeSlices(nameNoticeSteps(archive.files, () => true)) };
  });
  const { ticket, expiresAt } = makeTicket(ctx, purposeOf(releaseId));
  return { url: `/api/releases/${releaseId}/download?ticket=${ticket}`, fileName, sizeBytes, expiresAt, notices };
}

/**
 * Returns the account whose release is to be read: that of the signed-in person, or of the ticket. Throws
 * `unauthenticated`, `not_found`.
 */
export async function findDownloader(ctx: ServiceContext, releaseId: string, ticket: string | null): Promise<string> {
  const { actor, origin } = ctx;
  if (ticket !== null) return redeemTicket(ctx, purposeOf(releaseId), ticket);
  if (actor.kind === 'anonymous') throw signedOut(origin.bearer);
  return actor.accountId;
}

function purposeOf(releaseId: string): TicketPurpose {
  return { context: `releases:${releaseId}:download`, what: 'release' };
}

/** Returns the account's release as a ZIP. Throws `not_found`. */
export async function openDownload(
  providers: Providers,
  accountId: string,
  releaseId: string,
): Promise<ReleaseArchive> {
  const { store } = providers;
  const release = await ReleaseModel.findOne({ _id: releaseId, accountId });
  if (release === null) throw notFound('release');
  const deployment = await DeploymentModel.findOne({ _id: release.deploymentId, accountId });
  if (deployment === null) throw notFound('release');
  const root = `${deployment.slug}-${release.number}`;
  const manifest = await readManifest(store, release.manifestHash);
  const handOff = handOffOf(providers, deployment, release);
  const added = await Promise.all((handOff?.files ?? []).map((file) => storedFile(store, file)));
  const files = () => (handOff === null ? filesBelow(`${root}/`, manifest) : [...added, ...filesBelow('', manifest)]);
  return {
    fileName: `${deployment.name} ${release.number}.zip`,
    plainName: `${root}.zip`,
    sizeBytes: archiveSize(files()),
    files: [...manifest.keys()].map((path) => ({ path })),
    body: (signal) => writeArchive(store, files(), { at: release.createdAt, signal }),
  };
}

async function storedFile(store: ArtifactStore, { path, text }: { path: string; text: string }): Promise<ArchiveFile> {
  const { sha256, sizeBytes } = await store.writeWhole(Buffer.from(text));
  return { name: path, sha256, sizeBytes };
}

/**
 * Yields all files below one folder, which intake strips again: without it, a site with a single folder would lose
 * that one. A platform that imports the archive does not strip it.
 */
function* filesBelow(root: string, manifest: Manifest): Generator<ArchiveFile, void> {
  for (const [path, { sha256, sizeBytes }] of manifest) yield { name: `${root}${path}`, sha256, sizeBytes };
}

/** Returns the steps left to the person at the first hand-off destination; null when there is none. */
export function handOffOf(
  providers: Providers,
  deployment: DeploymentDoc,
  release: Pick<ReleaseDoc, '_id' | 'number'>,
): HandOff | null {
  for (const destination of deployment.destinations) {
    const platform = providers.platforms[destination.platform];
    if (platform?.handOff === undefined) continue;
    const call = platformCall(providers, deployment, destination, new AbortController().signal);
    const { _id: id, number } = release;
    return platform.handOff(call, { release: { id, number }, knownUrl: destination.url ?? null });
  }
  return null;
}
