import { LRUCache } from 'lru-cache';
import { decodeManifest, type ManifestEntry } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';

/** Caches manifests that files are arriving for: decoding one of 20,000 rows again for each would be all the work. */
const CACHED_MANIFESTS = 16;
const cache = new LRUCache<string, Promise<ReadonlyMap<string, ManifestEntry>>>({ max: CACHED_MANIFESTS });

/** Returns the entries of a list of files, by hash. */
export function entriesOf(store: ArtifactStore, manifestHash: string): Promise<ReadonlyMap<string, ManifestEntry>> {
  const entries = cache.get(manifestHash) ?? readEntries(store, manifestHash);
  cache.set(manifestHash, entries);
  return entries;
}

async function readEntries(store: ArtifactStore, manifestHash: string): Promise<ReadonlyMap<string, ManifestEntry>> {
  try {
    const manifest = await decodeManifest(await store.readWhole(manifestHash));
    return new Map([...manifest.values()].map((entry) => [entry.sha256, entry]));
  } catch (error) {
    cache.delete(manifestHash);
    throw error;
  }
}
