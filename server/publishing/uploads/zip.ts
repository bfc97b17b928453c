import type { UploadZipAnswer } from '../../../routers/schemas/releases.ts';
import { countsAddress } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import type { UploadDoc } from '../../database/models/publishing/upload.ts';
import { endWhenAway } from '../../database/mongo.ts';
import { AppError } from '../../lib/errors.ts';
import { customerOf } from '../../lib/networks.ts';
import { withSlot } from '../../lib/with-slot.ts';
import { clearStoredAgain } from '../../store/corruption.ts';
import type { StoredZip } from '../../store/intake.ts';
import { replaceManifest } from './manifest.ts';
import { findOpenUpload, TOUCH_MS, touch } from './open.ts';
import { rememberAll } from './remember.ts';
import { countBytes } from './storage-quota.ts';

export type SentZip = {
  body: AsyncIterable<Uint8Array>;
  /** The announced length, if there is one. */
  contentLength: number | null;
  /** Paths that the person publishes on purpose, as `leftOut` names them. */
  publishAnyway: readonly string[];
  /** Identifies a sender that can continue: `key` names this archive, and `from` bytes of it came before. */
  resume?: { key: string; from: number } | null;
  /** Ends the work when nobody waits for its answer any more. */
  signal: AbortSignal;
};

/**
 * Takes the files of an upload as one ZIP: afterwards it is complete, as with a list and all its files. A refused ZIP
 * leaves the upload as it was. An upload takes one at a time; one that was cut off is kept for a day, for a sender
 * that can continue. Throws `not_found`, `upload_closed`, `conflict`, `upload_refused` with `reason` and `path`,
 * `body_too_large`, `quota_exhausted`, `storage_full`, `overloaded`.
 */
export async function receiveZip(ctx: AccountContext, uploadId: string, zip: SentZip): Promise<UploadZipAnswer> {
  const upload = await endWhenAway(() => findOpenUpload(ctx, uploadId));
  const full = (): AppError =>
    new AppError('conflict', 'A ZIP file is already being sent to this upload.', {
      hint: 'Wait until it has arrived, or open another upload.',
    });
  return withSlot(ctx.providers.rateCounters, { key: `ZIP of ${uploadId}`, limit: 1, full }, async () => {
    const stored = await keepingUploadOpen(ctx, upload, () =>
      ctx.providers.zips.take(
        { ...zip, part: zip.resume ? { ...partOf(ctx, uploadId, zip.resume.key), from: zip.resume.from } : null },
        {
          store: ctx.providers.store,
          senders: [ctx.actor.accountId, ...(countsAddress(ctx) ? [customerOf(ctx.origin.address)] : [])],
          count: (bytes) => endWhenAway(() => countBytes(ctx, bytes)),
        },
      ),
    );
    await endWhenAway(() => storeZip(ctx, uploadId, stored));
    return toAnswer(stored);
  });
}

/** Returns how many bytes of a cut-off archive have arrived. Throws `not_found`, `upload_closed`. */
export async function arrivedOfZip(ctx: AccountContext, uploadId: string, key: string): Promise<number> {
  await endWhenAway(() => findOpenUpload(ctx, uploadId));
  return ctx.providers.zips.arrived(partOf(ctx, uploadId, key));
}

function partOf(ctx: AccountContext, uploadId: string, key: string) {
  return { accountId: ctx.actor.accountId, what: uploadId, key };
}

/** Keeps an upload from counting as quiet while its archive arrives and is read, however long that takes. */
async function keepingUploadOpen<T>(ctx: AccountContext, upload: UploadDoc, work: () => Promise<T>): Promise<T> {
  // While the database is away nobody else can open an upload either, so this one is not broken off.
  const timer = setInterval(() => void touch(ctx, upload).catch(() => undefined), TOUCH_MS / 2);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function storeZip(ctx: AccountContext, uploadId: string, stored: StoredZip): Promise<void> {
  await clearStoredAgain(stored.artifacts.map(({ sha256 }) => sha256));
  // The list comes first, since it needs room: stored files are on the account's books for good.
  await replaceManifest(ctx, uploadId, { manifest: stored.manifest, source: 'zip' });
  await rememberAll(ctx, stored.artifacts);
}

function toAnswer({ manifest, artifacts: _, ...facts }: StoredZip): UploadZipAnswer {
  const files = [...manifest].map(([path, { sha256, sizeBytes }]) => ({ path, sha256, sizeBytes }));
  return { missing: [], files, ...facts };
}
