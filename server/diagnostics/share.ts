import { randomBytes } from 'node:crypto';
import type { GetReportInput, SharedLink } from '../../routers/schemas/diagnostics.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import type { AccountContext } from '../context.ts';
import { DiagnosticModel } from '../database/models/diagnostic.ts';
import { hashToken } from '../lib/crypto/token-hash.ts';
import { DAY_MS } from '../lib/durations.ts';
import { AppError } from '../lib/errors.ts';
import { findReport } from './read.ts';

/** Long enough for a person who helps, and short enough that a link in an old mail shows nothing. */
const SHARED_MS = 7 * DAY_MS;

/**
 * Makes a link that shows one report to anybody who has it, for a week; the previous link ends. Throws `not_found`,
 * and `state_changed` while the report runs.
 */
export async function shareReport(ctx: AccountContext, { reportId }: GetReportInput): Promise<SharedLink> {
  const { _id, accountId, state } = await findReport(ctx, reportId);
  if (state !== 'done') throw new AppError('state_changed', 'A report can be shared once it is done.');
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(ctx.now().getTime() + SHARED_MS);
  const link = { shareHash: hashToken(token), sharedUntil: expiresAt };
  await DiagnosticModel.updateOne({ _id, accountId }, { $set: link });
  return { url: `${ctx.providers.addresses.publicUrl}/shared-report#${token}`, expiresAt };
}

/** Ends the link of a report at once. Throws `not_found`. */
export async function stopSharing(ctx: AccountContext, { reportId }: GetReportInput): Promise<Done> {
  const { _id, accountId } = await findReport(ctx, reportId);
  await DiagnosticModel.updateOne({ _id, accountId }, { $set: { shareHash: null, sharedUntil: null } });
  return DONE;
}
