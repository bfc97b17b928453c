import { LRUCache } from 'lru-cache';
import type { ClientSession } from 'mongoose';
import { MAINTENANCE, NO_ACCOUNT } from '../database/models/account-scope.ts';
import { ArtifactModel, HASHES_A_QUERY } from '../database/models/publishing/artifact.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../database/models/publishing/release.ts';
import { transaction } from '../database/mongo.ts';
import { bringForward } from '../database/move-state.ts';
import { publishEvent } from '../events/publish.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Writer } from '../publishing/publication/publish.ts';
import { enqueueJob } from '../queue/queue.ts';
import { decodeManifest } from './manifest.ts';
import type { ArtifactStore, OnCorruption } from './store.ts';

/** A visitor's browser requests a corrupted file again and again: one report in this time is enough. */
const NOTICED_MS = 60 * 60_000;
const NOTICED_MAX = 10_000;

/**
 * Creates the store's listener for artifacts that it cannot serve: a job finds out who is affected. While the database
 * is away nothing can be recorded; the next request for the artifact, or the weekly integrity check, reports it again.
 */
export function createCorruptionListener(log: Log): OnCorruption {
  const noticed = new LRUCache<string, number>({ max: NOTICED_MAX });
  return (sha256) => {
    const now = performance.now();
    if (now - (noticed.get(sha256) ?? Number.NEGATIVE_INFINITY) < NOTICED_MS) return;
    noticed.set(sha256, now);
    log.error('An artifact is corrupted or missing', { sha256 });
    const job = { name: 'report-corruption' as const, payload: { sha256 }, accountId: NO_ACCOUNT };
    transaction((session) => enqueueJob(session, { ...job, dedupeKey: `corruption ${sha256}` })).catch(
      (error: unknown) => {
        noticed.delete(sha256);
        log.warn('The corruption could not be reported yet', { sha256, error: String(error) });
      },
    );
  };
}

/**
 * Marks the releases that have lost this artifact, notifies their owners once, and removes it from the books, so that
 * the next upload of the same files sends it again.
 */
export async function reportCorruption({ providers, transaction: write }: Writer, sha256: string): Promise<void> {
  const { store, log } = providers;
  if (await store.verify(sha256)) return;
  for (const accountId of await accountsWith(sha256)) {
    const affected = await findAffected(store, accountId, sha256);
    for (const deploymentId of new Set(affected.map(({ release }) => release.deploymentId))) {
      const own = affected.filter(({ release }) => release.deploymentId === deploymentId);
      log.error('Releases are affected by a corrupted artifact', {
        sha256,
        releases: own.map(({ release }) => release._id).join(' '),
      });
      await write((session) => markAffected(session, { accountId, deploymentId, sha256 }, own));
    }
  }
  // Storing it clears the marks that exist by then: later marks are cleared here.
  if (await store.has(sha256)) await clearMarks(write, [sha256]);
  else await write((session) => ArtifactModel.deleteMany({ sha256 }, { session }).setOptions(MAINTENANCE));
}

type Corruption = { accountId: string; deploymentId: string; sha256: string };

async function markAffected(
  session: ClientSession,
  corruption: Corruption,
  affected: readonly Affected[],
): Promise<void> {
  const { accountId, deploymentId, sha256 } = corruption;
  for (const { release, paths } of affected) {
    await ReleaseModel.updateOne(
      { _id: release._id, accountId },
      { $addToSet: { corruptedFiles: { $each: paths.map((path) => ({ path, sha256 })) } } },
      { session },
    );
  }
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId }, { name: 1 }).session(session);
  await bringForward(session, corruption);
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'Files are damaged',
    message: sentenceOf(deployment?.name ?? '', affected),
    variant: 'destructive',
    deploymentId,
  });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}

/** Clears the marks for artifacts that an upload has just stored again, on the releases of every account. */
export async function clearStoredAgain(sha256s: readonly string[]): Promise<void> {
  for (let start = 0; start < sha256s.length; start += HASHES_A_QUERY) {
    await clearMarks(transaction, sha256s.slice(start, start + HASHES_A_QUERY));
  }
}

/** Clears marks that are no longer true, in case an upload broke off before it did. */
export async function clearRestored({ providers: { store }, transaction: write }: Writer): Promise<void> {
  const marked = await ReleaseModel.distinct('corruptedFiles.sha256', {
    'corruptedFiles.sha256': { $gt: '' },
  }).setOptions(MAINTENANCE);
  for (const sha256 of marked) {
    if ((await store.has(sha256)) && (await store.verify(sha256))) await clearMarks(write, [sha256]);
  }
}

async function clearMarks(write: Writer['transaction'], sha256s: readonly string[]): Promise<void> {
  const corruptedFiles = { sha256: { $in: sha256s } };
  const marked = await ReleaseModel.find(
    { 'corruptedFiles.sha256': corruptedFiles.sha256 },
    { accountId: 1, deploymentId: 1 },
  ).setOptions(MAINTENANCE);
  for (const [deploymentId, accountId] of new Map(marked.map((doc) => [doc.deploymentId, doc.accountId]))) {
    const _id = { $in: marked.filter((doc) => doc.deploymentId === deploymentId).map((doc) => doc._id) };
    await write(async (session) => {
      const cleared = await ReleaseModel.updateMany({ _id, accountId }, { $pull: { corruptedFiles } }, { session });
      if (cleared.modifiedCount === 0) return;
      await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
    });
  }
}

async function accountsWith(sha256: string): Promise<Set<string>> {
  const [stored, listed] = await Promise.all([
    ArtifactModel.find({ sha256 }, { accountId: 1, _id: 0 }).setOptions(MAINTENANCE).lean(),
    ReleaseModel.find({ manifestHash: sha256 }, { accountId: 1 }).setOptions(MAINTENANCE).lean(),
  ]);
  return new Set([...stored, ...listed].map((row) => row.accountId));
}

type Affected = { release: Pick<ReleaseDoc, '_id' | 'deploymentId' | 'number'>; paths: string[] };

/** Returns releases that name it and are not marked yet. */
async function findAffected(store: ArtifactStore, accountId: string, sha256: string): Promise<Affected[]> {
  const releases = await ReleaseModel.find(
    { accountId },
    { deploymentId: 1, number: 1, manifestHash: 1, corruptedFiles: 1 },
  );
  const known = new Map<string, string[]>();
  const affected: Affected[] = [];
  for (const release of releases) {
    if (release.corruptedFiles.some((file) => file.sha256 === sha256)) continue;
    const paths = known.get(release.manifestHash) ?? (await pathsOf(store, release.manifestHash, sha256));
    known.set(release.manifestHash, paths);
    if (paths.length > 0) affected.push({ release, paths });
  }
  return affected.sort((a, b) => a.release.number - b.release.number);
}

/** Returns the paths of an artifact; nobody knows them when the list of files is itself corrupted. */
async function pathsOf(store: ArtifactStore, manifestHash: string, sha256: string): Promise<string[]> {
  if (manifestHash === sha256) return ['the list of files'];
  try {
    const manifest = await decodeManifest(await store.readWhole(manifestHash));
    return [...manifest].filter(([, entry]) => entry.sha256 === sha256).map(([path]) => path);
  } catch (error) {
    // It has a report of its own.
    if (error instanceof AppError && error.code === 'artifact_corrupted') return [];
    throw error;
  }
}

function sentenceOf(name: string, affected: readonly Affected[]): string {
  const paths = [...new Set(affected.flatMap((one) => one.paths))];
  const numbers = affected.map(({ release }) => release.number);
  const last = numbers.at(-1);
  const releases = numbers.length > 1 ? `releases ${numbers.slice(0, -1).join(', ')} and ${last}` : `release ${last}`;
  const [files, are] = paths.length > 1 ? [`${paths[0]} and ${paths.length - 1} more`, 'are'] : [paths[0], 'is'];
  return `${name}, ${releases}: ${files} can no longer be read and ${are} not served. Publish the same files again.`;
}
