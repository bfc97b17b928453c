import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { type DeploymentDoc, primaryOf } from '../../database/models/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/release.ts';
import { isTextPath } from '../../host/responses/content-types.ts';
import { AppError } from '../../lib/errors.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { COMPRESSED_MAX_BYTES, COMPRESSED_MIN_BYTES, compress } from '../../store/compress.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { createVariantPacker, type VariantBodies } from '../../store/variant-packer.ts';
import {
  decodeVariants,
  encodeVariants,
  packsOf,
  type VariantIndex,
  type VariantSlice,
  type Variants,
} from '../../store/variants.ts';
import { readManifest } from './read.ts';

/** More packs than this are written into new ones, so that the last of many small releases does not name hundreds. */
const PACKS_MAX = 32;

/** Has the text files of a live release compressed in the background, where this installation serves them itself. */
export async function enqueueCompression(
  session: ClientSession,
  release: ReleaseDoc,
  deployment: DeploymentDoc,
): Promise<void> {
  if (!PLATFORMS[primaryOf(deployment).platform].isServedHere || release.variants) return;
  await enqueueJob(session, {
    name: 'compress-release',
    payload: { releaseId: release._id },
    accountId: release.accountId,
    dedupeKey: `compress ${release._id}`,
    // One after the other for a deployment: two at once would each compress what they share.
    key: `compress ${release.deploymentId}`,
  });
}

/** Returns the release, unless it is gone or has its variants. */
export async function findReleaseWithoutVariants(accountId: string, releaseId: string): Promise<ReleaseDoc | null> {
  return ReleaseModel.findOne({ _id: releaseId, accountId, variants: null });
}

/** The variants that an earlier release lends. */
type Loan = { releaseId: string; indexHash: string; index: VariantIndex };

/**
 * Returns what the precompressed variants of an account take. Releases share packs within their deployment alone, and
 * all releases of a deployment go at once, so that no pack outlives the release that it is counted with.
 */
export async function sumOfVariantBytes(accountId: string): Promise<number> {
  const sums = await ReleaseModel.aggregate<{ sizeBytes: number }>([
    { $match: { accountId } },
    { $group: { _id: null, sizeBytes: { $sum: '$variants.sizeBytes' } } },
  ]).hint('account_variants');
  return sums[0]?.sizeBytes ?? 0;
}

export type MadeVariants = {
  indexHash: string | null;
  packHashes: string[];
  loan: Loan | null;
  madeCount: number;
  sizeBytes: number;
};
type MakeOptions = {
  signal: AbortSignal;
  /** How much may be stored; what does not fit is served as it is. */
  remainingBytes: number;
};

/**
 * Makes the precompressed variants of a release (server/store/variants.ts), each content once: what the last
 * release of the deployment that has variants shares with this one is taken over. Everything is stored before it resolves; the release
 * names it by `saveVariants`.
 */
export async function makeVariants(
  store: ArtifactStore,
  release: ReleaseDoc,
  { signal, remainingBytes }: MakeOptions,
): Promise<MadeVariants> {
  const wanted = textHashes(await readManifest(store, release.manifestHash));
  if (wanted.size === 0 || remainingBytes <= 0)
    return { indexHash: null, packHashes: [], loan: null, madeCount: 0, sizeBytes: 0 };
  const loan = await findLoan(store, release);
  const known = await stillThere(store, new Map([...(loan?.index ?? [])].filter(([sha256]) => wanted.has(sha256))));
  const isRewritten = packsOf(known).length > PACKS_MAX && remainingBytes > sizeOfPacks(known);
  const index = new Map<string, Variants>(isRewritten ? [] : known);
  const packer = createVariantPacker(store, (sha256, variants) => index.set(sha256, variants));
  let madeCount = 0;
  let sizeBytes = 0;
  for (const sha256 of wanted) {
    signal.throwIfAborted();
    if (sizeBytes >= remainingBytes) break;
    if (index.has(sha256)) continue;
    const old = known.get(sha256);
    // One that cannot be read is made anew.
    const bodies = old === undefined ? null : await readBodies(store, old).catch(() => null);
    if (bodies === null) madeCount += 1;
    const added = bodies ?? (await compress(await store.readWhole(sha256)));
    sizeBytes += (added.br?.byteLength ?? 0) + (added.gzip?.byteLength ?? 0);
    await packer.add(sha256, added);
  }
  await packer.finish();
  const stored = await store.writeWhole(await encodeVariants(index));
  sizeBytes += stored.sizeBytes;
  const packHashes = packsOf(index).map((pack) => pack.sha256);
  return { indexHash: stored.sha256, packHashes, loan, madeCount, sizeBytes };
}

function sizeOfPacks(index: VariantIndex): number {
  return packsOf(index).reduce((sum, pack) => sum + pack.sizeBytes, 0);
}

/** Returns what is worth looking at: text, neither tiny nor huge; each content once. */
function textHashes(manifest: Manifest): Set<string> {
  const isCandidate = (path: string, sizeBytes: number): boolean =>
    sizeBytes > COMPRESSED_MIN_BYTES && sizeBytes <= COMPRESSED_MAX_BYTES && isTextPath(path);
  return new Set(
    [...manifest].flatMap(([path, { sha256, sizeBytes }]) => (isCandidate(path, sizeBytes) ? [sha256] : [])),
  );
}

/** Returns an index that cannot be read lends nothing. */
async function findLoan(store: ArtifactStore, { _id, accountId, deploymentId }: ReleaseDoc): Promise<Loan | null> {
  const lender = await ReleaseModel.findOne(
    { accountId, deploymentId, _id: { $ne: _id }, 'variants.indexHash': { $ne: null } },
    { variants: 1 },
  ).sort({ number: -1 });
  const indexHash = lender?.variants?.indexHash ?? null;
  if (lender === null || indexHash === null) return null;
  const index = await store
    .readWhole(indexHash)
    .then(decodeVariants)
    .catch(() => null);
  return index === null ? null : { releaseId: lender._id, indexHash, index };
}

async function stillThere(store: ArtifactStore, index: VariantIndex): Promise<VariantIndex> {
  const gone = new Set<string>();
  for (const { sha256 } of packsOf(index)) if (!(await store.has(sha256))) gone.add(sha256);
  const isGone = (slice: VariantSlice | null): boolean => slice !== null && gone.has(slice.pack.sha256);
  return new Map([...index].filter(([, { br, gzip }]) => !isGone(br) && !isGone(gzip)));
}

async function readBodies(store: ArtifactStore, { br, gzip }: Variants): Promise<VariantBodies> {
  return { br: await readSlice(store, br), gzip: await readSlice(store, gzip) };
}

async function readSlice(store: ArtifactStore, slice: VariantSlice | null): Promise<Buffer | null> {
  if (slice === null) return null;
  const artifact = await store.open(slice.pack.sha256);
  try {
    return await artifact.read(slice.start, slice.end);
  } finally {
    await artifact.close();
  }
}

/**
 * Records the variants in their release; the host hears of it by the change feed. Throws `overloaded`, to be tried
 * again, when the release that lent some of them has been removed meanwhile: garbage collection may have them by now.
 */
export async function saveVariants(session: ClientSession, release: ReleaseDoc, made: MadeVariants): Promise<void> {
  const { accountId } = release;
  const { indexHash, packHashes, loan, sizeBytes } = made;
  if (loan !== null) {
    // A write, though of the same value: the removal of the lender at this very moment conflicts with it.
    const lent = await ReleaseModel.updateOne(
      { _id: loan.releaseId, accountId, 'variants.indexHash': loan.indexHash },
      { $set: { 'variants.indexHash': loan.indexHash } },
      { session },
    );
    if (lent.matchedCount === 0) throw new AppError('overloaded', 'The release that lent its files is gone.');
  }
  await ReleaseModel.updateOne(
    { _id: release._id, accountId, variants: null },
    { $set: { variants: { indexHash, packHashes, sizeBytes } } },
    { session },
  );
}
