import type { ClientSession } from 'mongoose';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { formatSize } from '../../../routers/schemas/format-size.ts';
import { addToCount, readCount } from '../../account/rate-limit.ts';
import type { AccountContext, Limits } from '../../context.ts';
import { LicenseModel } from '../../database/models/plans/license.ts';
import { PaymentModel } from '../../database/models/plans/payment.ts';
import { sumOfArtifacts } from '../../database/models/publishing/artifact.ts';
import { DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { ReleaseModel, sumOfReleaseFiles } from '../../database/models/publishing/release.ts';
import { RollBackModel } from '../../database/models/publishing/roll-back.ts';
import { UploadModel } from '../../database/models/publishing/upload.ts';
import { DAY_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { currentPlan } from '../../plans/quota.ts';
import { upgradeHint } from '../../plans/subscription/upgrade-hint.ts';
import { type Manifest, type ManifestEntry, totalBytes } from '../../store/manifest.ts';
import { missingHashes } from './missing.ts';
import { countUnconfirmedBytes, requireUnconfirmedRoom, unconfirmedHint } from './unconfirmed.ts';

/**
 * Counts the bytes that an account sends in a day. An account without a plan and a confirmed address (or, if no mail
 * is sent, in its first days) has a small allowance, enough for an ordinary first site; where strangers can register,
 * only a plan that costs something counts. Bytes `ahead` must fit as well, and are not counted. Throws
 * `quota_exhausted`.
 */
export async function countBytes(ctx: AccountContext, sizeBytes: number, { ahead = 0 } = {}): Promise<void> {
  const key = ctx.actor.accountId;
  const sent = await addToCount({ name: 'upload-bytes', key, windowMs: DAY_MS, amount: sizeBytes });
  const fits = ({ uploadBytesPerDay }: StorageLimits): boolean => sent.count + ahead <= uploadBytesPerDay;
  const { limits, hint } = await limitsFor(ctx, fits);
  if (!fits(limits)) throw dayUsedUp({ limits, hint }, sent.leftMs);
  await countUnconfirmedBytes(ctx, sent.count, sizeBytes);
}

function dayUsedUp({ limits, hint }: Allowed, retryAfterMs: number): AppError {
  const allowed = formatSize(limits.uploadBytesPerDay);
  return new AppError(
    'quota_exhausted',
    `An account${hint.who} can upload ${allowed} a day, and not enough of that is left.`,
    {
      retryAfterMs,
      ...(hint.text !== '' && { hint: hint.text }),
    },
  );
}

/** Throws `quota_exhausted` if sending this many new files now would exceed the allowance. Nothing is counted. */
export async function requireRoomToSend(
  ctx: AccountContext,
  added: { count: number; totalBytes: number },
): Promise<void> {
  const { accountId } = ctx.actor;
  await requireListedFiles(null, ctx, added.count);
  const sent = await readCount({ name: 'upload-bytes', key: accountId });
  const stored = await sumOfArtifacts(accountId, null);
  const isDayEnough = (limits: StorageLimits): boolean => sent.count + added.totalBytes <= limits.uploadBytesPerDay;
  const isStored = (limits: StorageLimits): boolean =>
    stored.sizeBytes + added.totalBytes <= limits.accountBytes && stored.files + added.count <= limits.accountFiles;
  const allowed = await limitsFor(ctx, (limits) => isDayEnough(limits) && isStored(limits));
  if (!isDayEnough(allowed.limits)) throw dayUsedUp(allowed, sent.leftMs);
  requireRoomToStore(allowed, stored, { files: added.count, sizeBytes: added.totalBytes });
  await requireUnconfirmedRoom(ctx, added.totalBytes);
}

type Stored = { files: number; sizeBytes: number };

function requireRoomToStore({ limits, hint }: Allowed, stored: Stored, added: Stored): void {
  if (stored.sizeBytes + added.sizeBytes > limits.accountBytes) {
    throw quotaExhausted(hint, [limits.accountBytes, stored.sizeBytes, added.sizeBytes].map(formatSize));
  }
  if (stored.files + added.files > limits.accountFiles) {
    throw quotaExhausted(
      hint,
      [limits.accountFiles, stored.files, added.files].map((count) => formatCount(count, 'file')),
    );
  }
}

/**
 * Throws `quota_exhausted` once an account has too many permanent rows: those within the hourly limits would fill the
 * database within weeks. Simultaneous acts may each count without the others.
 */
export async function requireRoomForRow(ctx: AccountContext): Promise<void> {
  const { accountId } = ctx.actor;
  const counts = [
    await DeploymentModel.countDocuments({ accountId }).hint('account_latest'),
    await ReleaseModel.countDocuments({ accountId }).hint('account_newest'),
    await RollBackModel.countDocuments({ accountId }).hint('account_newest'),
  ];
  const isEnough = (limits: StorageLimits): boolean => sumOf(counts) < limits.accountRows;
  const { limits, hint } = await limitsFor(ctx, isEnough);
  if (isEnough(limits)) return;
  const [deployments = 0, releases = 0, rollBacks = 0] = counts;
  const kept = new Intl.ListFormat('en').format([
    formatCount(deployments, 'deployment'),
    formatCount(releases, 'release'),
    formatCount(rollBacks, 'rollback'),
  ]);
  throw new AppError(
    'quota_exhausted',
    `An account${hint.who} can keep ${limits.accountRows.toLocaleString('en')} deployments, releases and rollbacks in total. It has ${kept}.`,
    { hint: hint.text || 'Delete deployments you no longer need. Their releases are deleted too.' },
  );
}

type StorageLimits = Limits['atFirst'];
type Allowed = { limits: StorageLimits; hint: { who: string; text: string } };

/** Returns the account's limits. The account is only looked up if the initial allowance would be exceeded. */
async function limitsFor(
  ctx: AccountContext,
  isEnough: (atFirst: StorageLimits) => boolean,
  session: ClientSession | null = null,
): Promise<Allowed> {
  const { accountId } = ctx.actor;
  const { uploadBytesPerDay, accountBytes, accountFiles, accountRows, atFirst, asksForGivenPlan } =
    ctx.providers.limits;
  const small: StorageLimits = {
    uploadBytesPerDay: Math.min(uploadBytesPerDay, atFirst.uploadBytesPerDay),
    accountBytes: Math.min(accountBytes, atFirst.accountBytes),
    accountFiles: Math.min(accountFiles, atFirst.accountFiles),
    accountRows: Math.min(accountRows, atFirst.accountRows),
  };
  if (isEnough(small)) return { limits: small, hint: { who: '', text: '' } };
  if ((await currentPlan(ctx, session)) === 'free') {
    const text = await upgradeHint(accountId, 'free', session);
    return { limits: small, hint: { who: ' without a plan', text } };
  }
  if (asksForGivenPlan && !(await hasGivenPlan(ctx, session))) {
    return { limits: small, hint: { who: ' whose plan is free of charge', text: givenPlanHint(ctx) } };
  }
  const text = await unconfirmedHint(ctx, session);
  if (text !== null) return { limits: small, hint: { who: ' without a confirmed email address', text } };
  return { limits: { uploadBytesPerDay, accountBytes, accountFiles, accountRows }, hint: { who: '', text: '' } };
}

/**
 * Returns whether a license or a payment with money is active. The trial and the plans of the test checkout cost
 * nothing: if they counted, a person with many accounts could fill the disk.
 */
async function hasGivenPlan(ctx: AccountContext, session: ClientSession | null): Promise<boolean> {
  const { accountId } = ctx.actor;
  const license = { accountId, state: 'redeemed', 'period.endsAt': { $gt: ctx.now() } } as const;
  if ((await LicenseModel.exists(license).session(session)) !== null) return true;
  const payment = { accountId, state: 'paid', isTest: false, endsAt: { $gt: ctx.now() } } as const;
  return (await PaymentModel.exists(payment).session(session)) !== null;
}

function givenPlanHint({ providers }: AccountContext): string {
  return providers.payments.isTest
    ? 'To publish more, redeem a license key. The operator of this Fairlead issues them.'
    : 'To publish more, pay for a plan under Pricing & Trial or redeem a license key.';
}

/** Lists of files by their hash, read before the transaction that compares them. */
export type FileLists = ReadonlyMap<string, ReadonlyMap<string, ManifestEntry>>;

/**
 * Checks whether the account can store the additions of this list of files, in the transaction that gives the upload
 * its list. Files that the account has stored count once, and so do those that its other open uploads have announced
 * and not sent yet: of two simultaneous lists one conflicts, runs again and sees the other. Returns the hashes of
 * lists that must be compared and are not among `lists`: one of 11 MB is not read while a transaction is open, so the
 * caller reads them and asks again. Throws `quota_exhausted`.
 */
export async function requireStorageQuota(
  session: ClientSession,
  ctx: AccountContext,
  { uploadId, manifest, lists }: { uploadId: string; manifest: Manifest; lists: FileLists },
): Promise<string[]> {
  const { accountId } = ctx.actor;
  await UploadModel.updateMany({ accountId, state: 'open' }, { $inc: { turn: 1 } }, { session });
  const fields = { manifestHash: 1, totalBytes: 1, fileCount: 1 } as const;
  const open = await UploadModel.find({ accountId, state: 'open' }, fields).session(session);
  const others = open.filter((upload) => upload._id !== uploadId);
  await requireListedFiles(session, ctx, manifest.size + sumOf(others.map((other) => other.fileCount)));
  const stored = await sumOfArtifacts(accountId, session);
  // Far from the limit nothing needs to be compared.
  const mostBytes = stored.sizeBytes + totalBytes(manifest) + sumOf(others.map((other) => other.totalBytes));
  const mostFiles = stored.files + manifest.size + sumOf(others.map((other) => other.fileCount));
  const fits = (limits: StorageLimits): boolean => mostBytes <= limits.accountBytes && mostFiles <= limits.accountFiles;
  const { limits, hint } = await limitsFor(ctx, fits, session);
  if (fits(limits)) return [];
  const named = others.flatMap(({ manifestHash }) => manifestHash ?? []);
  const unread = named.filter((manifestHash) => !lists.has(manifestHash));
  if (unread.length > 0) return unread;
  const announced = new Map([...manifest.values()].map((entry) => [entry.sha256, entry]));
  for (const manifestHash of named) {
    for (const [sha256, entry] of lists.get(manifestHash) ?? []) announced.set(sha256, entry);
  }
  const missing = await missingHashes(accountId, announced, { session });
  const sizeBytes = sumOf(missing.map((sha256) => announced.get(sha256)?.sizeBytes ?? 0));
  requireRoomToStore({ limits, hint }, stored, { files: missing.length, sizeBytes });
  return [];
}

/**
 * Limits the files that releases list, which stay as long as the releases: lists take space, and each hour's
 * collection reads them, whether or not the files are new. Throws `quota_exhausted`.
 */
async function requireListedFiles(session: ClientSession | null, ctx: AccountContext, added: number): Promise<void> {
  const limit = ctx.providers.limits.listedFiles;
  const listed = await sumOfReleaseFiles({ accountId: ctx.actor.accountId }, session);
  if (listed + added <= limit) return;
  throw new AppError(
    'quota_exhausted',
    `The releases of an account can hold ${limit.toLocaleString('en')} files in total, and that is used up.`,
    { hint: 'Delete deployments you no longer need. Their releases are deleted too.' },
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

function quotaExhausted(hint: Allowed['hint'], [limit = '', stored = '', added = '']: readonly string[]): AppError {
  return new AppError(
    'quota_exhausted',
    `An account${hint.who} can store ${limit}. It uses ${stored}, and this would add ${added}.`,
    {
      // Removed files are collected a day after their last use.
      retryAfterMs: DAY_MS,
      hint:
        hint.text ||
        'Delete deployments you no longer need: the space that only they use is free about a day later. Or publish fewer or smaller files.',
    },
  );
}
