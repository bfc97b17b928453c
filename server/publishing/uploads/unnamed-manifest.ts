import type { Providers } from '../../context.ts';
import { MAINTENANCE } from '../../database/models/account-scope.ts';
import { ArtifactModel } from '../../database/models/publishing/artifact.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { UploadModel } from '../../database/models/publishing/upload.ts';

/** The callers that may wait for one list; garbage collection removes the lists of any further ones. */
const WAITING_MAX = 100;

/**
 * Removes a replaced list of files from the store, unless anything else names it: a release or an upload of anybody,
 * or a file of a site with just these bytes. Only one call runs for each list: of two, the second would read it after
 * the first has removed it, and that would be reported as a corruption.
 */
export async function removeUnnamedManifest(
  { store, rateCounters }: Pick<Providers, 'store' | 'rateCounters'>,
  manifestHash: string,
): Promise<void> {
  const slots = { limit: 1, queueLength: WAITING_MAX };
  const freeSlot = await rateCounters.takeSlot(`replaced list ${manifestHash}`, slots);
  if (freeSlot === null) return;
  try {
    if ((await isNamed(manifestHash)) || !(await store.has(manifestHash))) return;
    const bytes = await store.readWhole(manifestHash);
    await store.remove(manifestHash);
    // Another upload may have found and named it in between: it gets the list back.
    if (await isNamed(manifestHash)) await store.writeWhole(bytes);
  } finally {
    freeSlot();
  }
}

async function isNamed(hash: string): Promise<boolean> {
  const named = await Promise.all([
    ReleaseModel.exists({ manifestHash: hash }).setOptions(MAINTENANCE),
    UploadModel.exists({ manifestHash: hash }).setOptions(MAINTENANCE),
    ArtifactModel.exists({ sha256: hash }).setOptions(MAINTENANCE),
  ]);
  return named.some((one) => one !== null);
}
