import type { DownloadReleaseInput, ReleaseDownload } from '../../../routers/schemas/releases.ts';
import { type ArchiveEntry, archiveSize, writeArchive } from '../../artifacts/archive.ts';
import { AppError, notFound } from '../../errors.ts';
import { DeploymentModel } from '../../models/deployment.ts';
import { ReleaseModel } from '../../models/release.ts';
import { UserModel } from '../../models/user.ts';
import type { AccountContext, Providers, ServiceContext } from '../../service-context.ts';
import { readManifest } from './read.ts';

/** From the click to the first byte; what has begun goes on. */
const TICKET_MS = 60_000;

export type Download = {
  fileName: string;
  /** Of ASCII alone, for what does not read RFC 5987. */
  plainName: string;
  sizeBytes: number;
  body: AsyncIterable<Buffer>;
};

/**
 * Makes a link to the release as a ZIP that needs no header, so that a browser streams it to disk. It works for a minute
 * and for this release alone. Throws `not_found`.
 */
export async function prepareDownload(ctx: AccountContext, input: DownloadReleaseInput): Promise<ReleaseDownload> {
  const { releaseId } = input;
  const { accountId } = ctx.actor;
  const { fileName, sizeBytes } = await findDownload(ctx.providers, accountId, releaseId);
  const expiresAt = new Date(ctx.now().getTime() + TICKET_MS);
  const ticket = ctx.providers.secrets.seal(`${accountId} ${expiresAt.getTime()}`, ticketContext(releaseId));
  return { url: `/api/releases/${releaseId}/download?ticket=${ticket}`, fileName, sizeBytes, expiresAt };
}

/** The release as a ZIP, for whoever signed in or holds a ticket. Throws `unauthenticated`, `not_found`. */
export async function openDownload(ctx: ServiceContext, releaseId: string, ticket: string | null): Promise<Download> {
  const { actor, providers } = ctx;
  if (ticket !== null) return findDownload(providers, await redeem(ctx, releaseId, ticket), releaseId);
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated', 'Sign in to download a release.');
  return findDownload(providers, actor.accountId, releaseId);
}

function ticketContext(releaseId: string): string {
  return `releases:${releaseId}:download`;
}

/** The account that the ticket was made for, while there is one: its websites go some time after it. */
async function redeem(ctx: ServiceContext, releaseId: string, ticket: string): Promise<string> {
  const [accountId = '', endsAt = ''] = opened(ctx.providers, releaseId, ticket).split(' ');
  if (Number(endsAt) <= ctx.now().getTime()) {
    throw new AppError('unauthenticated', 'This link to a download is over.', { hint: 'Start the download again.' });
  }
  if ((await UserModel.exists({ _id: accountId, deletedAt: null })) === null) throw notFound('release');
  return accountId;
}

function opened({ secrets }: Providers, releaseId: string, ticket: string): string {
  try {
    return secrets.open(ticket, ticketContext(releaseId));
  } catch {
    // Of another release, of other keys, or made up: none of them is told apart.
    throw notFound('release');
  }
}

async function findDownload({ store }: Providers, accountId: string, releaseId: string): Promise<Download> {
  const release = await ReleaseModel.findOne({ _id: releaseId, accountId });
  if (release === null) throw notFound('release');
  const deployment = await DeploymentModel.findOne({ _id: release.deploymentId, accountId });
  if (deployment === null) throw notFound('release');
  const root = `${deployment.slug}-${release.number}`;
  const entries: ArchiveEntry[] = [];
  // All below one folder, which intake takes off again: else a site that has but one folder would lose that one.
  for (const [path, { sha256, sizeBytes }] of await readManifest(store, release.manifestHash)) {
    entries.push({ name: `${root}/${path}`, sha256, sizeBytes });
  }
  return {
    fileName: `${deployment.name} ${release.number}.zip`,
    plainName: `${root}.zip`,
    sizeBytes: archiveSize(entries),
    body: writeArchive(store, entries, release.createdAt),
  };
}
