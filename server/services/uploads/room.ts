import type { ClientSession } from 'mongoose';
import { type Manifest, type ManifestEntry, totalBytes } from '../../artifacts/manifest.ts';
import { DAY_MS } from '../../durations.ts';
import { AppError } from '../../errors.ts';
import { sumOfArtifacts } from '../../models/artifact.ts';
import { UploadModel } from '../../models/upload.ts';
import type { AccountContext } from '../../service-context.ts';
import { countAgainst } from '../rate-limit.ts';
import { entriesOf } from './entries.ts';
import { missingHashes } from './missing.ts';

/** Security facts, 1.8: 10 GiB a day and account. Throws `quota_exhausted`. */
export async function countBytes(ctx: AccountContext, sizeBytes: number): Promise<void> {
  const limit = ctx.providers.limits.uploadBytesPerDay;
  const count = { name: 'upload-bytes', key: ctx.actor.accountId, limit, windowMs: DAY_MS, amount: sizeBytes };
  try {
    await countAgainst(count);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
    const gib = Math.round(limit / 1024 ** 3);
    throw new AppError('quota_exhausted', `An account can send ${gib} GiB a day, and that is used up.`, {
      retryAfterMs: error.retryAfterMs,
    });
  }
}

/**
 * Whether the account can store what this list of files adds to it, in the transaction that gives the upload its list
 * (security facts, 2.1). What the account has stored counts once, and so does what its other open uploads have announced
 * and not sent yet: of two lists at once one conflicts, runs again and sees the other. Throws `quota_exhausted`.
 */
export async function requireRoom(
  session: ClientSession,
  ctx: AccountContext,
  uploadId: string,
  manifest: Manifest,
): Promise<void> {
  const { accountId } = ctx.actor;
  const limit = ctx.providers.limits.accountBytes;
  await UploadModel.updateMany({ accountId, state: 'open' }, { $inc: { turn: 1 } }, { session });
  const open = await UploadModel.find({ accountId, state: 'open' }, { manifestHash: 1, totalBytes: 1 }).session(
    session,
  );
  const others = open.filter((upload) => upload._id !== uploadId);
  const stored = await sumOfArtifacts(accountId, session);
  // Far from the limit nothing need be compared.
  const atMost = others.reduce((sum, other) => sum + other.totalBytes, totalBytes(manifest));
  if (stored + atMost <= limit) return;
  const announced = new Map([...manifest.values()].map((entry) => [entry.sha256, entry]));
  for (const { manifestHash } of others) {
    if (!manifestHash) continue;
    for (const [sha256, entry] of await entriesOf(ctx.providers.store, manifestHash)) announced.set(sha256, entry);
  }
  const added = await bytesMissing(session, accountId, announced);
  if (stored + added > limit) throw noRoom(limit, stored, added);
}

/** Of these files, by hash, the bytes that the account has not stored. */
async function bytesMissing(
  session: ClientSession,
  accountId: string,
  announced: ReadonlyMap<string, ManifestEntry>,
): Promise<number> {
  const missing = await missingHashes(accountId, announced, { session });
  return missing.reduce((sum, sha256) => sum + (announced.get(sha256)?.sizeBytes ?? 0), 0);
}

function noRoom(limit: number, stored: number, added: number): AppError {
  return new AppError(
    'quota_exhausted',
    `An account can store ${sizeInWords(limit)}: ${sizeInWords(stored)} are used, and ${sizeInWords(added)} would be added.`,
    {
      // What is removed is collected a day after its last use (security facts, 10.9).
      retryAfterMs: DAY_MS,
      hint: 'Remove deployments that are not needed any more: what they alone use is free about a day later. Or publish less, or smaller files.',
    },
  );
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** `9.6 GiB`, rounded to one digit behind the point. */
function sizeInWords(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${UNITS[power]}`;
}
