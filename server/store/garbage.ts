import { LRUCache } from 'lru-cache';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import type { Providers } from '../context.ts';
import { type Rows, rowsOf } from '../database/cursor-rows.ts';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { ArtifactModel, BEING_COLLECTED, HASHES_A_QUERY } from '../database/models/publishing/artifact.ts';
import { ReleaseModel, sumOfReleaseFiles } from '../database/models/publishing/release.ts';
import { sumOfOpenUploadFiles, UploadModel } from '../database/models/publishing/upload.ts';
import { DAY_MS } from '../lib/durations.ts';
import { AppError } from '../lib/errors.ts';
import { runInTimeSlices } from '../lib/time-slices.ts';
import { divideHashes, type HashPart } from './bloom-filter.ts';
import { decodeManifest } from './manifest.ts';
import type { ArtifactStore, Collected } from './store.ts';

/** Younger artifacts may belong to an upload that has no list of files yet. */
const KEPT_MS = DAY_MS;
/** Clocks of several instances differ; checking an upload twice does no harm. */
const CLOCKS_MS = 5 * 60_000;
/** The number of upload lists that are remembered as read in this run, 100 bytes each. */
const READ_LISTS_MAX = 10_000;
/**
 * The number of accounts with unreadable lists. If there are more, the store itself is in trouble, and nothing is
 * removed from it.
 */
const UNREADABLE_MAX = 10_000;

/** Marking this many takes a fraction of a millisecond. */
const HASHES_A_STEP = 500;

/** A release names its list of files as well. */
const BESIDE_FILES = 1;

type Stores = Pick<Providers, 'store' | 'log' | 'now'>;
type Options = { filterBytesMax?: number | undefined };

/**
 * Removes artifacts that no release and no upload names and that nobody has used for a day. The lists of files of all
 * releases, whatever their state, are needed, with the files in them, and the lists of uploads. It runs beside uploads
 * and releases: see `claimUnused`. Its memory is bounded whatever the number of files: when one filter is too small, it
 * makes several passes, each for a part of all hashes. Some in a thousand of the unneeded ones may stay until a later
 * run.
 */
export async function collectGarbage(
  stores: Stores,
  signal: AbortSignal,
  { filterBytesMax }: Options = {},
): Promise<Collected> {
  const names = await sumOfNames();
  const parts = divideHashes(names, filterBytesMax);
  stores.log.info('Looking for files that nothing needs', { names, passes: parts.length });
  const collected: Collected = { artifacts: 0, sizeBytes: 0 };
  for (const part of parts) {
    const { artifacts, sizeBytes } = await collectPart(stores, part, signal);
    collected.artifacts += artifacts;
    collected.sizeBytes += sizeBytes;
  }
  return collected;
}

async function collectPart({ store, log, now }: Stores, part: HashPart, signal: AbortSignal): Promise<Collected> {
  const startedAt = now();
  const before = new Date(startedAt.getTime() - KEPT_MS);
  const marks = createMarks(store, startedAt, part);
  await marks.markAll(signal);
  if (marks.unreadable.size > 0) {
    log.error('Lists of files cannot be read; what their accounts have stored is kept', {
      accounts: marks.unreadable.size,
    });
  }
  const choose = (sha256s: readonly string[]) => claimUnused(marks, sha256s.filter(part.includes), before, now());
  return store.collect({ before, signal, choose });
}

/**
 * Yields the artifacts that releases name now, whether or not the store still has them: each once, except for a few
 * that are left out.
 */
export async function* neededArtifacts(
  { store }: Pick<Providers, 'store'>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  for (const part of divideHashes(await sumOfNames())) yield* neededInPart(store, part, signal);
}

async function* neededInPart(store: ArtifactStore, part: HashPart, signal: AbortSignal): AsyncGenerator<string, void> {
  const needed = part.createFilter();
  for await (const { sha256s } of readReleases(store)) {
    const found: string[] = [];
    const collect = (sha256: string) => {
      if (!part.includes(sha256) || needed.mayHave(sha256)) return;
      needed.add(sha256);
      found.push(sha256);
    };
    signal.throwIfAborted();
    await runInTimeSlices(inSteps(sha256s, collect));
    yield* found;
  }
}

/** Returns the number of hashes that releases and open uploads name, counting shared ones each time. */
async function sumOfNames(): Promise<number> {
  const releases = await ReleaseModel.estimatedDocumentCount();
  return (await sumOfReleaseFiles({})) + (await sumOfOpenUploadFiles()) + releases * BESIDE_FILES;
}

type NamedByRelease = { accountId: string; isReadable: boolean; sha256s: Iterable<string> };

/** Reads releases in the order of their lists, so that an equal list is read once and none is remembered. */
async function* readReleases(store: ArtifactStore): AsyncGenerator<NamedByRelease, void> {
  const releases = ReleaseModel.find({}, { accountId: 1, manifestHash: 1 })
    .setOptions(MAINTENANCE)
    .sort({ manifestHash: 1 })
    .hint('manifest')
    .lean()
    .cursor();
  let last = { manifestHash: '', isReadable: true };
  for await (const { accountId, manifestHash } of rowsOf(releases)) {
    const isNew = manifestHash !== last.manifestHash;
    const listed = isNew ? await readHashes(store, manifestHash) : [];
    if (isNew) last = { manifestHash, isReadable: listed !== null };
    const { isReadable } = last;
    yield { accountId, isReadable, sha256s: [manifestHash, ...(listed ?? [])] };
  }
}

/** Returns the hashes in a list of files; null when it cannot be read, so that nobody knows what it needs. */
async function readHashes(store: ArtifactStore, manifestHash: string): Promise<string[] | null> {
  try {
    const manifest = await decodeManifest(await store.readWhole(manifestHash));
    return Array.from(manifest.values(), ({ sha256 }) => sha256);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'artifact_corrupted') throw error;
    return null;
  }
}

type Marks = {
  mayBeUsed(sha256: string): boolean;
  /** The accounts of releases whose list of files cannot be read: nobody knows what they need. */
  unreadable: ReadonlySet<string>;
  markAll(signal: AbortSignal): Promise<void>;
  /** Marks hashes that uploads have named since the start: new lists of files come in no other way. */
  markNews(): Promise<void>;
};

/** Marks hashes of this part alone. */
function createMarks(store: ArtifactStore, startedAt: Date, part: HashPart): Marks {
  const used = part.createFilter();
  const unreadable = new Set<string>();
  const readLists = new LRUCache<string, true>({ max: READ_LISTS_MAX });

  /** Marks in slices: a list may name 20,000 files, and there are many lists. */
  const mark = (sha256s: Iterable<string>) =>
    runInTimeSlices(
      inSteps(sha256s, (sha256) => {
        if (part.includes(sha256)) used.add(sha256);
      }),
    );

  /**
   * Marks the files of uploads. An upload whose list cannot be read never becomes a release, but its files may restore
   * one.
   */
  async function markUploads(uploads: Rows<{ manifestHash?: string | null }>): Promise<void> {
    for await (const { manifestHash } of rowsOf(uploads)) {
      if (!manifestHash || readLists.has(manifestHash)) continue;
      const listed = await readHashes(store, manifestHash);
      await mark([manifestHash, ...(listed ?? [])]);
      if (listed !== null) readLists.set(manifestHash, true);
    }
  }

  return {
    mayBeUsed: used.mayHave,
    unreadable,
    async markAll(signal) {
      // Uploads come first: one that becomes a release meanwhile is found as either.
      const open = UploadModel.find({ state: 'open' }, { manifestHash: 1 }).setOptions(MAINTENANCE).hint('open_slots');
      await markUploads(open.lean().cursor());
      for await (const { accountId, isReadable, sha256s } of readReleases(store)) {
        signal.throwIfAborted();
        await mark(sha256s);
        if (!isReadable) unreadable.add(accountId);
        if (unreadable.size > UNREADABLE_MAX) {
          throw new AppError('storage_unavailable', 'Too many lists of files cannot be read: nothing is collected.');
        }
      }
    },
    async markNews() {
      // Each act on an upload moves its end; one that became a release meanwhile counts too.
      const since = new Date(startedAt.getTime() + UPLOAD_LIMITS.openUploadMs - CLOCKS_MS);
      const news = UploadModel.find({ expiresAt: { $gte: since } }, { manifestHash: 1 }).setOptions(MAINTENANCE);
      await markUploads(news.lean().cursor());
    },
  };
}

function* inSteps(sha256s: Iterable<string>, act: (sha256: string) => void): Generator<void, void> {
  let count = 0;
  for (const sha256 of sha256s) {
    act(sha256);
    if (++count % HASHES_A_STEP === 0) yield;
  }
}

/**
 * Returns the old artifacts that may be removed. An account with one in its books need not send it again, so first the
 * books say that it is leaving; a later upload that announces it has to send it, which makes it young. An upload
 * announced before is found by the second check, and then everything stays as it was.
 */
async function claimUnused(
  marks: Marks,
  sha256s: readonly string[],
  before: Date,
  now: Date,
): Promise<ReadonlySet<string>> {
  const chosen = new Set<string>();
  for (let start = 0; start < sha256s.length; start += HASHES_A_QUERY) {
    const unused = sha256s.slice(start, start + HASHES_A_QUERY).filter((sha256) => !marks.mayBeUsed(sha256));
    if (unused.length === 0) continue;
    const needed = await neededByBooks(unused, marks, before);
    const leaving = unused.filter((sha256) => !needed.has(sha256));
    await moveBooks(leaving, BEING_COLLECTED);
    await marks.markNews();
    await moveBooks(
      leaving.filter((sha256) => marks.mayBeUsed(sha256)),
      now,
    );
    const gone = leaving.filter((sha256) => !marks.mayBeUsed(sha256));
    await ArtifactModel.deleteMany({ sha256: { $in: gone }, lastUsedAt: BEING_COLLECTED }).setOptions(MAINTENANCE);
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
