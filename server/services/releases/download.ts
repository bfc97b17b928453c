import type { DownloadReleaseInput, ReleaseDownload } from '../../../routers/schemas/releases.ts';
import { type ArchiveFile, archiveSize, writeArchive } from '../../artifacts/archive.ts';
import { AppError, notFound } from '../../errors.ts';
import { DeploymentModel } from '../../models/deployment.ts';
import { ReleaseModel } from '../../models/release.ts';
import type { AccountContext, Providers, ServiceContext } from '../../service-context.ts';
import { type Download, makeTicket, redeemTicket, type TicketPurpose } from '../download-ticket.ts';
import { readManifest } from './read.ts';

type ReleaseArchive = Download & { sizeBytes: number };

/**
 * Makes a link to the release as a ZIP that needs no header, so that a browser streams it to disk. It works for a minute
 * and for this release alone. Throws `not_found`.
 */
export async function prepareDownload(ctx: AccountContext, input: DownloadReleaseInput): Promise<ReleaseDownload> {
  const { releaseId } = input;
  const { fileName, sizeBytes } = await findDownload(ctx.providers, ctx.actor.accountId, releaseId);
  const { ticket, expiresAt } = makeTicket(ctx, purposeOf(releaseId));
  return { url: `/api/releases/${releaseId}/download?ticket=${ticket}`, fileName, sizeBytes, expiresAt };
}

/** The release as a ZIP, for whoever signed in or holds a ticket. Throws `unauthenticated`, `not_found`. */
export async function openDownload(ctx: ServiceContext, releaseId: string, ticket: string | null): Promise<Download> {
  const { actor, providers } = ctx;
  if (ticket !== null) {
    return findDownload(providers, await redeemTicket(ctx, purposeOf(releaseId), ticket), releaseId);
  }
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated', 'Sign in to download a release.');
  return findDownload(providers, actor.accountId, releaseId);
}

function purposeOf(releaseId: string): TicketPurpose {
  return { context: `releases:${releaseId}:download`, what: 'release' };
}

async function findDownload({ store }: Providers, accountId: string, releaseId: string): Promise<ReleaseArchive> {
  const release = await ReleaseModel.findOne({ _id: releaseId, accountId });
  if (release === null) throw notFound('release');
  const deployment = await DeploymentModel.findOne({ _id: release.deploymentId, accountId });
  if (deployment === null) throw notFound('release');
  const root = `${deployment.slug}-${release.number}`;
  const files: ArchiveFile[] = [];
  // All below one folder, which intake takes off again: else a site that has but one folder would lose that one.
  for (const [path, { sha256, sizeBytes }] of await readManifest(store, release.manifestHash)) {
    files.push({ name: `${root}/${path}`, sha256, sizeBytes });
  }
  return {
    fileName: `${deployment.name} ${release.number}.zip`,
    plainName: `${root}.zip`,
    sizeBytes: archiveSize(files),
    body: writeArchive(store, files, { at: release.createdAt }),
  };
}
