import type { AccountExport } from '../../routers/schemas/account.ts';
import type { SessionContext } from '../account/auth/sessions.ts';
import { type Download, makeTicket, redeemTicket, type TicketPurpose } from '../account/download-ticket.ts';
import type { Providers, ServiceContext } from '../context.ts';
import { UserModel } from '../database/models/account/user.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { writeArchive } from '../store/zip/archive.ts';
import { exportEntries } from './export-entries.ts';

const EXPORT: TicketPurpose = { context: 'account:export', what: 'export' };

/**
 * Makes a link to everything that Fairlead stores for the account, as one ZIP (export-entries.ts names the
 * exceptions). It works for a minute. An API token gets none, since the archive holds sessions and tokens, which are
 * out of its reach.
 */
export async function prepareExport(ctx: SessionContext): Promise<AccountExport> {
  const { ticket, expiresAt } = makeTicket(ctx, EXPORT);
  return { url: `/api/account/export?ticket=${ticket}`, fileName: fileNameAt(ctx.now()), expiresAt };
}

/**
 * Finds the account whose export may be read: that of a signed-in browser, or of the ticket's maker. Throws
 * `unauthenticated`, `session_required`, `not_found`.
 */
export async function findExporter(ctx: ServiceContext, ticket: string | null): Promise<string> {
  return ticket === null ? ownerOf(ctx) : redeemTicket(ctx, EXPORT, ticket);
}

/** Returns the account's archive. Throws `not_found`. */
export async function openExport(providers: Providers, accountId: string): Promise<Download> {
  const user = await UserModel.findOne({ _id: accountId, deletedAt: null });
  if (user === null) throw notFound(EXPORT.what);
  const at = providers.now();
  const corrupted: string[] = [];
  const fileName = fileNameAt(at);
  return {
    fileName,
    plainName: fileName,
    sizeBytes: null,
    body: (signal) =>
      writeArchive(providers.store, exportEntries(providers, { user, at, corrupted }), {
        at,
        // One lost file must not keep the owner from all the others.
        onCorrupted: ({ name }) => void corrupted.push(name),
        signal,
      }),
  };
}

function ownerOf({ actor }: ServiceContext): string {
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated', 'Log in to export your account.');
  if (actor.kind !== 'account') throw new AppError('session_required', 'Log in with your password to do this.');
  return actor.accountId;
}

function fileNameAt(at: Date): string {
  return `fairlead-export-${at.toISOString().slice(0, 10)}.zip`;
}
