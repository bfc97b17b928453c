import { LRUCache } from 'lru-cache';
import { isServedPath } from '../../../routers/rules/uploads/served-path.ts';
import type { Providers } from '../../context.ts';
import { AppError } from '../../lib/errors.ts';
import { withSlots } from '../../lib/with-slot.ts';
import { decodeManifest, type Manifest } from '../../store/manifest.ts';
import { readRuleFiles } from '../../store/rule-files.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { type Entry, prepareServedFile } from './served-file.ts';
import { createSiteLru } from './site-lru.ts';
import { createSiteRules, type SiteRules } from './site-rules.ts';

/** A release as the host serves it: a request that holds one can never see a mixture of two. */
export type Site = {
  manifestHash: string;
  fileCount: number;
  /** The total length of all paths in UTF-16 code units. */
  pathCharacters: number;
  rules: SiteRules | null;
  /** Returns the file under exactly this path, or undefined when the release does not serve one. */
  find(path: string): Entry | undefined;
};

/** Limits how many files of earlier releases are searched for one file, ten times what a release may have. */
const EARLIER_FILES_MAX = 200_000;

/**
 * Returns a file of a release before the last switches, searched from the latest on. A release that is gone or
 * corrupted is no reason to fail, since its files are extras. Throws any other error that kept one from being read.
 */
export async function findEarlierAsset(
  sites: SiteCache,
  releases: readonly SiteRef[],
  path: string,
): Promise<Entry | undefined> {
  let files = 0;
  for (const release of releases) {
    const site = await sites.load(release).catch(onlyIfCorrupted);
    const entry = site?.find(path);
    if (entry !== undefined) return entry;
    files += site?.fileCount ?? 0;
    if (files > EARLIER_FILES_MAX) return undefined;
  }
  return undefined;
}

/**
 * Rethrows any other error: while a release cannot be read, it is unknown whether it has the file, and a later request
 * may find it.
 */
function onlyIfCorrupted(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'artifact_corrupted')) throw error;
}

/** Answers that a site has ready; others are made again on request. */
const ENTRIES_MAX = 100;

/** Builds entries on the first request, since of 20,000 files most are never asked for. */
export function createSite(manifestHash: string, manifest: Manifest, rules: SiteRules | null): Site {
  const entries = new LRUCache<string, Entry>({ max: Math.max(1, Math.min(manifest.size, ENTRIES_MAX)) });
  return {
    manifestHash,
    fileCount: manifest.size,
    pathCharacters: [...manifest.keys()].reduce((sum, path) => sum + path.length, 0),
    rules,
    find(path) {
      const known = entries.get(path);
      if (known !== undefined) return known;
      const file = manifest.get(path);
      if (file === undefined || !isServedPath(path, manifest)) return undefined;
      const entry = prepareServedFile({ path, paths: manifest, ...file });
      entries.set(path, entry);
      return entry;
    },
  };
}

/** An upper bound of the weight of all releases in memory (site-lru.ts). */
const WEIGHT_MAX_BYTES = 128 * 1024 * 1024;

/**
 * Reading a list of 16 MB takes several times its size in memory, so only a few are read at once. Each account has one
 * slot in that queue, and its other requests wait in a queue of its own: a request waits for at most one release of
 * each other account.
 */
const LOADS = { key: 'sites', limit: 2, queueLength: 64 };
const LOADS_OF_ACCOUNT = { limit: 1, queueLength: 16 };
/**
 * Releases that are not live have one of the slots, and queues of their own: visitors of a live site never wait behind
 * them.
 */
const LOADS_OF_PREVIEWS = { key: 'previews', limit: 1, queueLength: 32 };
const OVERLOADED_RETRY_MS = 2_000;

const tooManyLoads = (): AppError =>
  new AppError('overloaded', 'Too many sites are being opened right now. Try again in a few seconds.', {
    retryAfterMs: OVERLOADED_RETRY_MS,
  });

/** The release that a name answers with. */
export type SiteRef = { accountId: string; manifestHash: string };

export type SiteCache = {
  /** Returns the site if it is in memory, or undefined; never waits. */
  known(ref: SiteRef): Site | undefined;
  /**
   * Loads a site from memory or from the store, in a turn of those that are live or of previews; throws
   * `artifact_corrupted`, and `overloaded` when too many wait.
   */
  load(ref: SiteRef, turn?: 'live' | 'preview'): Promise<Site>;
};

/** Holds as many releases in memory as there is room for; many requests for one release load it once. */
export function createSiteCache(
  { store, rateCounters }: Pick<Providers, 'store' | 'rateCounters'>,
  weightMaxBytes = WEIGHT_MAX_BYTES,
): SiteCache {
  const lru = createSiteLru(weightMaxBytes);
  const loading = new Map<string, Promise<Site>>();
  /**
   * Finds one site that is requested many times in a row without a search by last use, even if it is too heavy to
   * hold.
   */
  let newest: { accountId: string; site: Site } | null = null;

  async function read({ accountId, manifestHash }: SiteRef): Promise<Site> {
    const site = await readSite(store, manifestHash);
    lru.put(accountId, site);
    newest = { accountId, site };
    return site;
  }

  function known({ accountId, manifestHash }: SiteRef): Site | undefined {
    if (newest?.site.manifestHash === manifestHash && newest.accountId === accountId) return newest.site;
    const site = lru.get(accountId, manifestHash);
    if (site !== undefined) newest = { accountId, site };
    return site;
  }

  function readInTurn(ref: SiteRef, turn: 'live' | 'preview'): Promise<Site> {
    const ofAccount = { ...LOADS_OF_ACCOUNT, key: `${turn} sites of ${ref.accountId}` };
    const slots = turn === 'live' ? [ofAccount, LOADS] : [ofAccount, LOADS_OF_PREVIEWS, LOADS];
    return withSlots(rateCounters, slots, tooManyLoads, () => read(ref));
  }

  return {
    known,
    load(ref, turn = 'live') {
      const { accountId, manifestHash } = ref;
      const site = known(ref);
      if (site !== undefined) return Promise.resolve(site);
      const key = `${turn}/${accountId}/${manifestHash}`;
      const pending = loading.get(key);
      if (pending !== undefined) return pending;
      const started = readInTurn(ref, turn).finally(() => loading.delete(key));
      loading.set(key, started);
      return started;
    },
  };
}

async function readSite(store: ArtifactStore, manifestHash: string): Promise<Site> {
  const manifest = await decodeManifest(await store.readWhole(manifestHash));
  return createSite(manifestHash, manifest, await createSiteRules(await readRuleFiles(store, manifest)));
}
