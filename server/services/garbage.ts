import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { decodeManifest } from '../artifacts/manifest.ts';
import type { ArtifactStore, Collected } from '../artifacts/store.ts';
import { rowsOf } from '../database/cursor-rows.ts';
import { DAY_MS } from '../durations.ts';
import { AppError } from '../errors.ts';
import { MAINTENANCE } from '../models/account-scope.ts';
import { ArtifactModel, HASHES_A_QUERY, LEAVING } from '../models/artifact.ts';
import { ReleaseModel } from '../models/release.ts';
import { UploadModel } from '../models/upload.ts';
import type { Providers } from '../service-context.ts';

/** Security facts, 10.9: what is younger may belong to an upload that has no list of files yet. */
const KEPT_MS = DAY_MS;
/** Clocks of several instances differ; an upload that is looked at twice does no harm. */
const CLOCKS_MS = 5 * 60_000;

/**
 * Removes artifacts that no release and no upload names and that nobody has used for a day (security facts, 10.9). Needed
 * are the lists of files of all releases, whatever their state, with what they name; their compressed twins; the lists
 * of uploads. Runs beside uploads and releases: see `giveUp`.
 */
export async function collectGarbage(
  { store, log, now }: Pick<Providers, 'store' | 'log' | 'now'>,
  signal: AbortSignal,
): Promise<Collected> {
  const startedAt = now();
  const before = new Date(startedAt.getTime() - KEPT_MS);
  const marks = createMarks(store, startedAt);
  await marks.markAll(signal);
  if (marks.unreadable.size > 0) {
    log.error('Lists of files cannot be read; what their accounts have stored is kept', {
      accounts: marks.unreadable.size,
    });
  }
  return store.collect({ before, signal, choose: (sha256s) => giveUp(marks, sha256s, before, now()) });
}

/** What releases and uploads name at this moment, whether or not the store still has it. */
export async function neededArtifacts(
  { store, now }: Pick<Providers, 'store' | 'now'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const marks = createMarks(store, now());
  await marks.markAll(signal);
  return marks.used;
}

type Marks = {
  used: ReadonlySet<string>;
  /** Accounts of releases whose list of files cannot be read: nobody knows what they need. */
  unreadable: ReadonlySet<string>;
  markAll(signal: AbortSignal): Promise<void>;
  /** What uploads have named since the start: new lists of files come by no other way. */
  markNews(): Promise<void>;
};

function createMarks(store: ArtifactStore, startedAt: Date): Marks {
  const used = new Set<string>();
  const unreadable = new Set<string>();
  const readLists = new Set<string>();

  async function mark(manifestHash: string, accountId: string | null): Promise<void> {
    if (readLists.has(manifestHash)) return;
    used.add(manifestHash);
    try {
      const manifest = decodeManifest(await store.readWhole(manifestHash));
      for (const { sha256 } of manifest.values()) used.add(sha256);
      readLists.add(manifestHash);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'artifact_damaged') throw error;
      // No release will ever be made of such an upload; a release may be healed by its files.
      if (accountId !== null) unreadable.add(accountId);
    }
  }

  async function markUploads(uploads: readonly { manifestHash?: string | null }[]): Promise<void> {
    for (const { manifestHash } of uploads) if (manifestHash) await mark(manifestHash, null);
  }

  return {
    used,
    unreadable,
    async markAll(signal) {
      // Uploads first: one that becomes a release meanwhile is found as either.
      const open = UploadModel.find({ state: 'open' }, { manifestHash: 1 }).setOptions(MAINTENANCE).hint('open_slots');
      await markUploads(await open.lean());
      const releases = ReleaseModel.find({}, { accountId: 1, manifestHash: 1, twins: 1 })
        .setOptions(MAINTENANCE)
        .hint({ _id: 1 })
        .lean()
        .cursor();
      for await (const { accountId, manifestHash, twins } of rowsOf(releases)) {
        signal.throwIfAborted();
        if (twins?.indexHash) used.add(twins.indexHash);
        for (const sha256 of twins?.packHashes ?? []) used.add(sha256);
        await mark(manifestHash, accountId);
      }
    },
    async markNews() {
      // The end of an upload moves with each thing that is done to it; one that became a release meanwhile counts too.
      const since = new Date(startedAt.getTime() + UPLOAD_LIMITS.openUploadMs - CLOCKS_MS);
      const news = UploadModel.find({ expiresAt: { $gte: since } }, { manifestHash: 1 }).setOptions(MAINTENANCE);
      await markUploads(await news.lean());
    },
  };
}

/**
 * Of old artifacts those that may go. An account that has one in its books need not send it again, so first the books
 * say that it is leaving; an upload that is announced after that has to send it, which makes it young. An upload
 * announced before is seen by the second look, and then everything stays as it was.
 */
async function giveUp(marks: Marks, sha256s: readonly string[], before: Date, now: Date): Promise<ReadonlySet<string>> {
  const chosen = new Set<string>();
  for (let start = 0; start < sha256s.length; start += HASHES_A_QUERY) {
    const unused = sha256s.slice(start, start + HASHES_A_QUERY).filter((sha256) => !marks.used.has(sha256));
    if (unused.length === 0) continue;
    const needed = await neededByBooks(unused, marks, before);
    const leaving = unused.filter((sha256) => !needed.has(sha256));
    await moveBooks(leaving, LEAVING);
    await marks.markNews();
    await moveBooks(
      leaving.filter((sha256) => marks.used.has(sha256)),
      now,
    );
    const gone = leaving.filter((sha256) => !marks.used.has(sha256));
    await ArtifactModel.deleteMany({ sha256: { $in: gone }, lastUsedAt: LEAVING }).setOptions(MAINTENANCE);
    for (const sha256 of gone) chosen.add(sha256);
  }
  return chosen;
}

async function neededByBooks(sha256s: readonly string[], marks: Marks, before: Date): Promise<ReadonlySet<string>> {
  const rows = await ArtifactModel.find(
    {
      sha256: { $in: [...sha256s] },
      $or: [{ lastUsedAt: { $gte: before } }, { accountId: { $in: [...marks.unreadable] } }],
    },
    { sha256: 1, _id: 0 },
  )
    .setOptions(MAINTENANCE)
    .lean();
  return new Set(rows.map((row) => row.sha256));
}

async function moveBooks(sha256s: readonly string[], lastUsedAt: Date): Promise<void> {
  if (sha256s.length === 0) return;
  await ArtifactModel.updateMany({ sha256: { $in: [...sha256s] } }, { $set: { lastUsedAt } }).setOptions(MAINTENANCE);
}
