import type { ClientSession } from 'mongoose';
import { decodeManifest } from '../artifacts/manifest.ts';
import type { ArtifactStore, OnDamage } from '../artifacts/store.ts';
import { AppError } from '../errors.ts';
import { publishEvent } from '../events/publish.ts';
import { enqueueJob } from '../jobs/queue.ts';
import type { Log } from '../log.ts';
import { MAINTENANCE, NO_ACCOUNT } from '../models/account-scope.ts';
import { ArtifactModel, HASHES_A_QUERY } from '../models/artifact.ts';
import { DeploymentModel } from '../models/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../models/release.ts';
import { transaction } from '../mongo.ts';
import type { Writer } from './publish-release.ts';

/** A visitor's browser asks again and again for what is damaged: one report is enough for so long. */
const NOTICED_MS = 60 * 60_000;
const NOTICED_MAX = 10_000;

/**
 * What a store does with an artifact that it cannot hand out: it has a job find out whom that hurts. While the database
 * is away nothing can be written down; whoever asks for the artifact next, or the weekly reading of all, says it again.
 */
export function noticeDamage(log: Log): OnDamage {
  const noticed = new Map<string, number>();
  return (sha256) => {
    const now = performance.now();
    if (now - (noticed.get(sha256) ?? Number.NEGATIVE_INFINITY) < NOTICED_MS) return;
    if (noticed.size >= NOTICED_MAX) noticed.clear();
    noticed.set(sha256, now);
    log.error('An artifact is damaged or missing', { sha256 });
    const job = { name: 'report-damage' as const, payload: { sha256 }, accountId: NO_ACCOUNT };
    transaction((session) => enqueueJob(session, { ...job, dedupeKey: `damage ${sha256}` })).catch((error: unknown) => {
      noticed.delete(sha256);
      log.warn('The damage could not be reported yet', { sha256, error: String(error) });
    });
  };
}

/**
 * Marks the releases that have lost this artifact, tells their owners once, and strikes it from the books, so that the
 * next upload of the same files brings it again.
 */
export async function reportDamage({ providers, transaction: write }: Writer, sha256: string): Promise<void> {
  const { store, log } = providers;
  if (await store.verify(sha256)) return;
  for (const accountId of await accountsWith(sha256)) {
    const hurt = await findHurt(store, accountId, sha256);
    for (const deploymentId of new Set(hurt.map(({ release }) => release.deploymentId))) {
      const own = hurt.filter(({ release }) => release.deploymentId === deploymentId);
      log.error('Releases are hurt by a damaged artifact', {
        sha256,
        releases: own.map(({ release }) => release._id).join(' '),
      });
      await write((session) => markHurt(session, { accountId, deploymentId, sha256 }, own));
    }
  }
  // Who stores it takes off the marks that are there by then: those that came later are taken off here.
  if (await store.has(sha256)) await clearMarks(write, [sha256]);
  else await write((session) => ArtifactModel.deleteMany({ sha256 }, { session }).setOptions(MAINTENANCE));
}

type Damage = { accountId: string; deploymentId: string; sha256: string };

async function markHurt(session: ClientSession, damage: Damage, hurt: readonly Hurt[]): Promise<void> {
  const { accountId, deploymentId, sha256 } = damage;
  for (const { release, paths } of hurt) {
    await ReleaseModel.updateOne(
      { _id: release._id, accountId },
      { $addToSet: { damagedFiles: { $each: paths.map((path) => ({ path, sha256 })) } } },
      { session },
    );
  }
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId }, { name: 1 }).session(session);
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'Files are damaged',
    message: sentenceOf(deployment?.name ?? '', hurt),
    variant: 'destructive',
    deploymentId,
  });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}

/** Takes off the marks of what an upload has just stored again, on the releases of every account. */
export async function clearStoredAgain(sha256s: readonly string[]): Promise<void> {
  for (let start = 0; start < sha256s.length; start += HASHES_A_QUERY) {
    await clearMarks(transaction, sha256s.slice(start, start + HASHES_A_QUERY));
  }
}

/** Takes the marks off that are no longer true, should an upload have been broken off before it did. */
export async function clearHealed({ providers: { store }, transaction: write }: Writer): Promise<void> {
  const marked = await ReleaseModel.distinct('damagedFiles.sha256', {
    'damagedFiles.sha256': { $gt: '' },
  }).setOptions(MAINTENANCE);
  for (const sha256 of marked) {
    if ((await store.has(sha256)) && (await store.verify(sha256))) await clearMarks(write, [sha256]);
  }
}

async function clearMarks(write: Writer['transaction'], sha256s: readonly string[]): Promise<void> {
  const damagedFiles = { sha256: { $in: sha256s } };
  const marked = await ReleaseModel.find(
    { 'damagedFiles.sha256': damagedFiles.sha256 },
    { accountId: 1, deploymentId: 1 },
  ).setOptions(MAINTENANCE);
  for (const [deploymentId, accountId] of new Map(marked.map((doc) => [doc.deploymentId, doc.accountId]))) {
    const _id = { $in: marked.filter((doc) => doc.deploymentId === deploymentId).map((doc) => doc._id) };
    await write(async (session) => {
      const cleared = await ReleaseModel.updateMany({ _id, accountId }, { $pull: { damagedFiles } }, { session });
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

type Hurt = { release: Pick<ReleaseDoc, '_id' | 'deploymentId' | 'number'>; paths: string[] };

/** Releases that name it and do not say so yet. */
async function findHurt(store: ArtifactStore, accountId: string, sha256: string): Promise<Hurt[]> {
  const releases = await ReleaseModel.find(
    { accountId },
    { deploymentId: 1, number: 1, manifestHash: 1, damagedFiles: 1 },
  );
  const known = new Map<string, string[]>();
  const hurt: Hurt[] = [];
  for (const release of releases) {
    if (release.damagedFiles.some((file) => file.sha256 === sha256)) continue;
    const paths = known.get(release.manifestHash) ?? (await pathsOf(store, release.manifestHash, sha256));
    known.set(release.manifestHash, paths);
    if (paths.length > 0) hurt.push({ release, paths });
  }
  return hurt.sort((a, b) => a.release.number - b.release.number);
}

/** Of a list of files that is itself damaged nobody knows the paths. */
async function pathsOf(store: ArtifactStore, manifestHash: string, sha256: string): Promise<string[]> {
  if (manifestHash === sha256) return ['the list of files'];
  try {
    const manifest = decodeManifest(await store.readWhole(manifestHash));
    return [...manifest].filter(([, entry]) => entry.sha256 === sha256).map(([path]) => path);
  } catch (error) {
    // It has a report of its own.
    if (error instanceof AppError && error.code === 'artifact_damaged') return [];
    throw error;
  }
}

function sentenceOf(name: string, hurt: readonly Hurt[]): string {
  const paths = [...new Set(hurt.flatMap((one) => one.paths))];
  const numbers = hurt.map(({ release }) => release.number);
  const files = paths.length > 1 ? `${paths[0]} and ${paths.length - 1} more` : paths[0];
  const releases = numbers.length > 1 ? `releases ${numbers.join(', ')}` : `release ${numbers[0]}`;
  return `${files} of ${name}, ${releases}, cannot be read any more and is not served. Publish the same files again.`;
}
