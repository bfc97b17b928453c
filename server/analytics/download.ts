import { type DownloadVisitsInput, downloadVisitsInput, type VisitsDownload } from '../../routers/schemas/analytics.ts';
import { type Download, makeTicket, redeemTicket, type TicketPurpose } from '../account/download-ticket.ts';
import type { AccountContext, Providers, ServiceContext } from '../context.ts';
import { findDeployment } from '../database/find-deployment.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { readVisitsOf } from './visits.ts';

/** Makes a link to a table of visits as CSV; it works for a minute and for this table alone. Throws `not_found`. */
export async function prepareVisitsDownload(ctx: AccountContext, input: DownloadVisitsInput): Promise<VisitsDownload> {
  if (input.deploymentId !== undefined) await findDeployment(ctx, input.deploymentId);
  const { ticket, expiresAt } = makeTicket(ctx, purposeOf(input));
  const query = new URLSearchParams({ ...fieldsOf(input), ticket });
  return { url: `/api/analytics/visits.csv?${query}`, fileName: fileNameOf(input, ctx.now()), expiresAt };
}

/** Reads the query of a link. Throws `not_found` when it describes no table. */
export function parseVisitsQuery(query: Record<string, unknown>): DownloadVisitsInput {
  const { table, days, timeZone, deploymentId } = query;
  const given = { table, days: Number(days), timeZone, ...(deploymentId !== undefined && { deploymentId }) };
  const parsed = downloadVisitsInput.safeParse(given);
  if (!parsed.success) throw notFound('table');
  return parsed.data;
}

/**
 * Finds the account whose visits may be read: the signed-in one, or that of the ticket's maker. Throws
 * `unauthenticated`, `not_found`.
 */
export async function findVisitsReader(
  ctx: ServiceContext,
  input: DownloadVisitsInput,
  ticket: string | null,
): Promise<string> {
  if (ticket !== null) return redeemTicket(ctx, purposeOf(input), ticket);
  if (ctx.actor.kind === 'anonymous') throw new AppError('unauthenticated', 'Log in to download visits.');
  return ctx.actor.accountId;
}

/** Returns a table of the account's visits as CSV. Throws `not_found`. */
export async function openVisitsDownload(
  providers: Providers,
  accountId: string,
  input: DownloadVisitsInput,
): Promise<Download> {
  const { deploymentId } = input;
  const owned = { accountId, ...(deploymentId !== undefined && { _id: deploymentId }) };
  if (deploymentId !== undefined && (await DeploymentModel.exists(owned)) === null) throw notFound('deployment');
  const fileName = fileNameOf(input, providers.now());
  return {
    fileName,
    plainName: fileName,
    sizeBytes: null,
    contentType: 'text/csv; charset=utf-8; header=present',
    body: (signal) => linesOf(providers, owned, input, signal),
  };
}

const HEADS = {
  visits: ['time', 'deployment', 'address', 'page views', 'visitors', 'requests', 'requests of bots', 'bytes'],
  pages: ['page', 'deployment', 'address', 'page views'],
  referrers: ['referrer', 'deployment', 'address', 'page views'],
} as const;

/** Yields one deployment after another, so that only one's visits are in memory. */
async function* linesOf(
  providers: Providers,
  owned: { accountId: string; _id?: string },
  input: DownloadVisitsInput,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  yield Buffer.from(csvLine(HEADS[input.table]));
  const { accountId } = owned;
  // They are read at once: a deployment that changes meanwhile would move in the order, and be missed.
  const rows = await DeploymentModel.find(owned, { name: 1, slug: 1 })
    .sort({ updatedAt: -1, _id: -1 })
    .hint('account_latest')
    .lean();
  for (const { _id: deploymentId, name, slug } of rows) {
    signal.throwIfAborted();
    const visits = await readVisitsOf(providers, accountId, { ...input, deploymentId });
    const site = [name, slug];
    const table = {
      visits: () =>
        visits.points.map(({ label, views, visitors, requests, bots, bytes }) => [
          ...[label, ...site],
          ...[views, visitors, requests, bots, bytes],
        ]),
      pages: () => visits.pages.map(({ path, views }) => [path, ...site, views]),
      referrers: () => visits.referrers.map(({ host, views }) => [host, ...site, views]),
    }[input.table]();
    yield Buffer.from(table.map(csvLine).join(''));
  }
}

/** A spreadsheet takes these for the start of a formula (OWASP, CSV Injection). */
const FORMULA_START = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/**
 * Writes a line of CSV (RFC 4180). An apostrophe keeps a spreadsheet from running a text as a formula: strangers
 * choose the pages and referrers.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fieldsOf({ table, days, timeZone, deploymentId }: DownloadVisitsInput): Record<string, string> {
  return { table, days: String(days), timeZone, ...(deploymentId !== undefined && { deploymentId }) };
}

function purposeOf(input: DownloadVisitsInput): TicketPurpose {
  return { context: `analytics:${new URLSearchParams(fieldsOf(input))}`, what: 'table' };
}

function fileNameOf({ table, days }: DownloadVisitsInput, at: Date): string {
  return `fairlead-${table}-${days}-days-${at.toISOString().slice(0, 10)}.csv`;
}
