import { isServedPath } from '../../routers/schemas/upload-rules.ts';
import { decodeManifest, type Manifest } from '../artifacts/manifest.ts';
import { readRuleTexts } from '../artifacts/rule-texts.ts';
import type { ArtifactStore } from '../artifacts/store.ts';
import { decodeTwins, type TwinIndex } from '../artifacts/twins.ts';
import type { Log } from '../log.ts';
import { type Entry, finishEntry } from './entry.ts';
import { createSiteRules, type SiteRules } from './site-rules.ts';

/** A release as the host sees it: a request that has one in hand can never see a mixture of two. */
export type Site = {
  manifestHash: string;
  fileCount: number;
  rules: SiteRules | null;
  /** The file under exactly this path, or undefined when the release does not serve one. */
  find(path: string): Entry | undefined;
  /** The compressed bodies, from now on: they are of the same files, so nobody sees a difference but the size. */
  attachTwins(twinsHash: string, twins: TwinIndex): void;
  /** Which twins it has; null while it has none. */
  readonly twinsHash: string | null;
};

/** Of earlier releases so many files are looked through for one, ten times what a release may have. */
const EARLIER_FILES_MAX = 200_000;

/**
 * A file that a release before the last switches had, looked for from the latest on. One that is gone or damaged is no
 * reason to fail: its files are extras.
 */
export async function findEarlierAsset(
  sites: SiteCache,
  manifestHashes: readonly string[],
  path: string,
): Promise<Entry | undefined> {
  let files = 0;
  for (const manifestHash of manifestHashes) {
    const site = await sites.load({ manifestHash, twinsHash: null }).catch(() => undefined);
    const entry = site?.find(path);
    if (entry !== undefined) return entry;
    files += site?.fileCount ?? 0;
    if (files > EARLIER_FILES_MAX) return undefined;
  }
  return undefined;
}

/** Entries are finished when they are first asked for: of 20,000 files most never are. */
export function createSite(manifestHash: string, manifest: Manifest, rules: SiteRules | null): Site {
  const entries = new Map<string, Entry>();
  let attached: { hash: string; twins: TwinIndex } | null = null;
  return {
    manifestHash,
    fileCount: manifest.size,
    rules,
    get twinsHash() {
      return attached?.hash ?? null;
    },
    attachTwins(hash, twins) {
      attached = { hash, twins };
      entries.clear();
    },
    find(path) {
      const known = entries.get(path);
      if (known !== undefined) return known;
      const file = manifest.get(path);
      if (file === undefined || !isServedPath(path)) return undefined;
      const entry = finishEntry({ path, ...file }, attached?.twins.get(file.sha256));
      entries.set(path, entry);
      return entry;
    },
  };
}

/** A manifest row is about 200 bytes in memory, so this many files are some 100 MB at the very most. */
const FILES_MAX = 500_000;

/** What a name answers with: the release, and its compressed twins once they are made. */
export type SiteRef = { manifestHash: string; twinsHash: string | null };

export type SiteCache = {
  /** In memory, or undefined; never waits. */
  known(manifestHash: string): Site | undefined;
  /** From memory or from the store; throws `artifact_damaged`. Twins that cannot be read are gone without. */
  load(ref: SiteRef): Promise<Site>;
};

/** The releases in memory, the longest unused dropped first; many requests for one release load it once. */
export function createSiteCache(store: ArtifactStore, log: Log, filesMax = FILES_MAX): SiteCache {
  const sites = new Map<string, Site>();
  const loading = new Map<string, Promise<Site>>();
  let files = 0;
  let newest: Site | null = null;

  function keep(site: Site): void {
    sites.set(site.manifestHash, site);
    newest = site;
    files += site.fileCount;
    for (const [hash, oldest] of sites) {
      if (files <= filesMax || hash === site.manifestHash) break;
      sites.delete(hash);
      files -= oldest.fileCount;
    }
  }

  async function read({ manifestHash, twinsHash }: SiteRef): Promise<Site> {
    const site = known(manifestHash) ?? (await readSite(store, manifestHash));
    if (twinsHash !== null && site.twinsHash !== twinsHash) await attach(site, twinsHash);
    if (!sites.has(manifestHash)) keep(site);
    return site;
  }

  async function attach(site: Site, twinsHash: string): Promise<void> {
    try {
      site.attachTwins(twinsHash, decodeTwins(await store.readWhole(twinsHash)));
    } catch (error) {
      // Remembered as none, so that the trouble is told once and not for each visitor.
      site.attachTwins(twinsHash, new Map());
      log.warn('The compressed files of a release cannot be read; it is served as it is', {
        manifestHash: site.manifestHash,
        error: String(error),
      });
    }
  }

  function known(manifestHash: string): Site | undefined {
    // One site asked for many times in a row stands at the end already.
    if (newest?.manifestHash === manifestHash) return newest;
    const site = sites.get(manifestHash);
    if (site === undefined) return undefined;
    sites.delete(manifestHash);
    sites.set(manifestHash, site);
    newest = site;
    return site;
  }

  return {
    known,
    load(ref) {
      const { manifestHash, twinsHash } = ref;
      const site = known(manifestHash);
      if (site !== undefined && (twinsHash === null || site.twinsHash === twinsHash)) return Promise.resolve(site);
      const key = `${manifestHash}/${twinsHash ?? ''}`;
      const pending = loading.get(key);
      if (pending !== undefined) return pending;
      const started = read(ref).finally(() => loading.delete(key));
      loading.set(key, started);
      return started;
    },
  };
}

async function readSite(store: ArtifactStore, manifestHash: string): Promise<Site> {
  const manifest = decodeManifest(await store.readWhole(manifestHash));
  return createSite(manifestHash, manifest, createSiteRules(await readRuleTexts(store, manifest)));
}
