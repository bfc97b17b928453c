import { createHash } from 'node:crypto';
import { RULE_FILES } from '../../../../routers/rules/hosting/rule-file.ts';
import { ReleaseModel, type ReleaseRow } from '../../../database/models/publishing/release.ts';
import type { Manifest } from '../../../store/manifest.ts';
import type { ArtifactStore } from '../../../store/store.ts';
import { findPublication } from '../publications.ts';
import { previousRelease } from '../release-files.ts';
import type { ReleaseWork } from '../release-work.ts';

/**
 * Hash of the sources by which the built-in host answers, set at build time (vite.config.ts). After an update that
 * changes them, the next release of each deployment is verified completely. Not set when the server runs from its
 * sources.
 */
declare const __HOST_RULES__: string | undefined;
const HOST_RULES = typeof __HOST_RULES__ === 'undefined' ? '' : __HOST_RULES__;

/** Returns whether a verified release of the deployment has shown this content at this path. */
export type VerifiedFiles = (path: string, sha256: string) => boolean;

/**
 * A fingerprint of all that decides, besides the file itself, whether a file is answered and from where: the store, the
 * place at the platform, the settings, and the site's own rules. What was verified under other conditions counts as not
 * verified. It is stored with each release at its destination (`verifiedUnder`).
 */
export function servingConditions(
  { id: storeId }: Pick<ArtifactStore, 'id'>,
  { deployment: { isSinglePage, hasCleanUrls }, destination }: Pick<ReleaseWork, 'deployment' | 'destination'>,
  manifest: Manifest,
): string {
  const { _id, platform, targetId, options, site } = destination;
  const place = [_id, platform, targetId ?? null, options ?? null, site ?? null];
  const rules = RULE_FILES.map((name) => manifest.get(name)?.sha256 ?? null);
  const conditions = JSON.stringify([HOST_RULES, storeId, place, isSinglePage, hasCleanUrls, rules]);
  return createHash('sha256').update(conditions).digest('hex');
}

/**
 * Finds the files that the current release and the last live one have shown under these conditions: each of those
 * releases had been verified completely, by itself or through those before it.
 */
export async function findVerifiedFiles(work: ReleaseWork, conditions: string): Promise<VerifiedFiles> {
  const { accountId, deploymentId, number } = work.release;
  const latest = await previousRelease(accountId, deploymentId, number);
  const currentId = work.deployment.currentReleaseId ?? null;
  const current =
    currentId === null || currentId === latest?._id ? null : await findVerifiedRelease(accountId, currentId);
  const lists: { manifest: Manifest; lost: ReadonlySet<string> }[] = [];
  for (const doc of [latest, current]) {
    if (doc === null) continue;
    const published = await findPublication(accountId, { releaseId: doc._id, destinationId: work.destination._id });
    if (published?.verifiedUnder !== conditions) continue;
    const manifest = await work.readEarlier(doc);
    if (manifest !== null) lists.push({ manifest, lost: new Set(doc.corruptedFiles.map(({ path }) => path)) });
  }
  return (path, sha256) => lists.some(({ manifest, lost }) => manifest.get(path)?.sha256 === sha256 && !lost.has(path));
}

function findVerifiedRelease(accountId: string, releaseId: string): Promise<ReleaseRow | null> {
  return ReleaseModel.findOne({ _id: releaseId, accountId, verifiedAt: { $ne: null } }).lean();
}
