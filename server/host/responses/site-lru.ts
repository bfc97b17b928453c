import { LRUCache } from 'lru-cache';
import type { Site } from './site.ts';

/** A file's hash, and the entries of path and hash in a map; measured with 20,000 files. */
const FILE_BYTES = 300;
/** A path takes one byte for a character, or two if it goes beyond Latin. */
const CHARACTER_BYTES = 2;
/** An empty site, and the answers that it has ready. */
const SITE_BYTES = 20_000;
/**
 * An account whose sites take no more than this part of the memory loses a site only when that is the longest unused
 * of all.
 */
const SHARE = 1 / 16;

/** Returns an upper bound of a site's memory. */
function weightOf({ fileCount, pathCharacters, rules }: Site): number {
  const files = fileCount * FILE_BYTES + pathCharacters * CHARACTER_BYTES;
  return SITE_BYTES + files + (rules?.weightBytes ?? 0);
}

type CachedSite = { key: string; accountId: string; site: Site; weightBytes: number };

export type SiteLru = {
  /** Returns a site that is here, and notes that it was used. */
  get(accountId: string, manifestHash: string): Site | undefined;
  /** Takes a site in, or weighs it again. A site too heavy for the whole memory is not held. */
  put(accountId: string, site: Site): void;
};

/**
 * Holds releases in memory. To make room, the heaviest account loses its longest unused site; once no account has more
 * than its share, the longest unused of all goes. So releases of many files displace each other, and no small site of
 * another account. Two accounts with the same release have one copy each, so that neither is charged for the other.
 */
export function createSiteLru(weightMaxBytes: number): SiteLru {
  const cache = new LRUCache<string, CachedSite>({
    maxSize: weightMaxBytes,
    sizeCalculation: ({ weightBytes }) => weightBytes,
  });
  const keyOf = (accountId: string, manifestHash: string): string => `${accountId}/${manifestHash}`;
  const isFreeFor = (weightBytes: number): boolean => cache.calculatedSize + weightBytes <= weightMaxBytes;

  function makeRoom(weightBytes: number): void {
    const accounts = accountsIn(cache);
    while (!isFreeFor(weightBytes)) {
      const heaviest = accounts.reduce((most, one) => (one.weightBytes > most.weightBytes ? one : most), NOBODY);
      const longestUnused = heaviest.sites.shift();
      if (longestUnused === undefined || heaviest.weightBytes <= weightMaxBytes * SHARE) return;
      cache.delete(longestUnused.key);
      heaviest.weightBytes -= longestUnused.weightBytes;
    }
  }

  return {
    get: (accountId, manifestHash) => cache.get(keyOf(accountId, manifestHash))?.site,
    put(accountId, site) {
      const key = keyOf(accountId, site.manifestHash);
      const weightBytes = weightOf(site);
      cache.delete(key);
      if (weightBytes > weightMaxBytes) return;
      if (!isFreeFor(weightBytes)) makeRoom(weightBytes);
      cache.set(key, { key, accountId, site, weightBytes });
    },
  };
}

type Held = { weightBytes: number; sites: CachedSite[] };
const NOBODY: Held = { weightBytes: 0, sites: [] };

/** Returns the weight and the sites of each account, the longest unused site first. */
function accountsIn(cache: LRUCache<string, CachedSite>): Held[] {
  const byAccount = new Map<string, Held>();
  for (const one of cache.rvalues()) {
    if (one === undefined) continue;
    const held = byAccount.get(one.accountId) ?? { weightBytes: 0, sites: [] };
    byAccount.set(one.accountId, held);
    held.weightBytes += one.weightBytes;
    held.sites.push(one);
  }
  return [...byAccount.values()];
}
