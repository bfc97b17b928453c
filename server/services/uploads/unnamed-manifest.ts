import type { ArtifactStore } from '../../artifacts/store.ts';
import { MAINTENANCE } from '../../models/account-scope.ts';
import { ArtifactModel } from '../../models/artifact.ts';
import { ReleaseModel } from '../../models/release.ts';
import { UploadModel } from '../../models/upload.ts';

/**
 * Takes a list of files out of the store that its upload has replaced, unless anything else names it: a release or an
 * upload of anybody, or a file of a site that has just these bytes.
 */
export async function removeUnnamedManifest(store: ArtifactStore, manifestHash: string): Promise<void> {
  if ((await isNamed(manifestHash)) || !(await store.has(manifestHash))) return;
  const bytes = await store.readWhole(manifestHash);
  await store.remove(manifestHash);
  // Another upload may have found it there and named it in between: it gets it back.
  if (await isNamed(manifestHash)) await store.writeWhole(bytes);
}

async function isNamed(hash: string): Promise<boolean> {
  const named = await Promise.all([
    ReleaseModel.exists({ manifestHash: hash }).setOptions(MAINTENANCE),
    UploadModel.exists({ manifestHash: hash }).setOptions(MAINTENANCE),
    ArtifactModel.exists({ sha256: hash }).setOptions(MAINTENANCE),
  ]);
  return named.some((one) => one !== null);
}
