import { isServedPath } from '../../routers/schemas/upload-rules.ts';
import { decodeManifest, type Manifest } from '../artifacts/manifest.ts';
import type { ArtifactStore } from '../artifacts/store.ts';
import { cacheControlOf, isHashedName } from './cache-rule.ts';
import { contentTypeOf } from './content-types.ts';

/** One file of a release with everything about its answers that never changes, finished once. */
export type Entry = {
  path: string;
  sha256: string;
  sizeBytes: number;
  etag: string;
  /** Name, value, name, value: as `writeHead` takes them without a copy. */
  okHeaders: readonly string[];
  notModifiedHeaders: readonly string[];
  /** Of a part: without length and range, which differ by request. */
  partHeaders: readonly string[];
  /** For `404.html` when it stands in for what does not exist. */
  notFoundHeaders: readonly string[];
};

/** A release as the host sees it: immutable, so a request that has one in hand can never see a mixture of two. */
export type Site = {
  manifestHash: string;
  fileCount: number;
  /** The file under exactly this path, or undefined when the release does not serve one. */
  find(path: string): Entry | undefined;
};

/** A file that a release before the last switches had, if its name says that its content never changes. */
export function findEarlierAsset(earlier: readonly Site[], path: string): Entry | undefined {
  if (earlier.length === 0 || !isHashedName(path)) return undefined;
  for (const site of earlier) {
    const entry = site.find(path);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Entries are finished when they are first asked for: of 20,000 files most never are. */
export function createSite(manifestHash: string, manifest: Manifest): Site {
  const entries = new Map<string, Entry>();
  return {
    manifestHash,
    fileCount: manifest.size,
    find(path) {
      const known = entries.get(path);
      if (known !== undefined) return known;
      const file = manifest.get(path);
      if (file === undefined || !isServedPath(path)) return undefined;
      const entry = finishEntry(path, file.sha256, file.sizeBytes);
      entries.set(path, entry);
      return entry;
    },
  };
}

function finishEntry(path: string, sha256: string, sizeBytes: number): Entry {
  // Security facts, 3.4: strong, and 128 bits of the hash are plenty.
  const etag = `"${sha256.slice(0, 32)}"`;
  const contentType = contentTypeOf(path);
  const length = ['Content-Length', String(sizeBytes)];
  const type = ['Content-Type', contentType, 'X-Content-Type-Options', 'nosniff'];
  const caching = ['ETag', etag, 'Cache-Control', cacheControlOf(path), 'Vary', 'Accept-Encoding'];
  return {
    path,
    sha256,
    sizeBytes,
    etag,
    okHeaders: [...type, ...length, ...caching, 'Accept-Ranges', 'bytes'],
    notModifiedHeaders: [...caching, 'X-Content-Type-Options', 'nosniff'],
    partHeaders: [...type, ...caching, 'Accept-Ranges', 'bytes'],
    notFoundHeaders: [...type, ...length, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding'],
  };
}

/** A manifest row is about 200 bytes in memory, so this many files are some 100 MB at the very most. */
const FILES_MAX = 500_000;

export type SiteCache = {
  /** In memory, or undefined; never waits. */
  known(manifestHash: string): Site | undefined;
  /** From memory or from the store; throws `artifact_damaged`. */
  load(manifestHash: string): Promise<Site>;
};

/** The releases in memory, the longest unused dropped first; many requests for one release load it once. */
export function createSiteCache(store: ArtifactStore, filesMax = FILES_MAX): SiteCache {
  const sites = new Map<string, Site>();
  const loading = new Map<string, Promise<Site>>();
  let files = 0;

  function keep(site: Site): void {
    sites.set(site.manifestHash, site);
    files += site.fileCount;
    for (const [hash, oldest] of sites) {
      if (files <= filesMax || hash === site.manifestHash) break;
      sites.delete(hash);
      files -= oldest.fileCount;
    }
  }

  async function read(manifestHash: string): Promise<Site> {
    const site = createSite(manifestHash, decodeManifest(await store.readWhole(manifestHash)));
    keep(site);
    return site;
  }

  function known(manifestHash: string): Site | undefined {
    const site = sites.get(manifestHash);
    if (site === undefined) return undefined;
    sites.delete(manifestHash);
    sites.set(manifestHash, site);
    return site;
  }

  return {
    known,
    load(manifestHash) {
      const site = known(manifestHash);
      if (site !== undefined) return Promise.resolve(site);
      const pending = loading.get(manifestHash);
      if (pending !== undefined) return pending;
      const started = read(manifestHash).finally(() => loading.delete(manifestHash));
      loading.set(manifestHash, started);
      return started;
    },
  };
}
