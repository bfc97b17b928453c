import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createDurably } from '../../lib/durable-file.ts';
import { errnoOf } from '../storage-errors.ts';
import {
  BUNDLE_ENDING,
  type Bundle,
  type BundleEntry,
  findInBundle,
  prefixesOf,
  prefixOf,
  readBundle,
} from './bundle.ts';
import { ignoring } from './folder.ts';

/** A file with this ending beside a bundle marks one of its artifacts as removed: `{bundle}.{sha256}.gone`. */
const GONE_ENDING = '.gone';
/** A folder that changed so recently may change again within the tick of its own clock. */
const SETTLED_MS = 2_000;
/**
 * The index of all bundles is in memory, some 150 bytes for each artifact: beyond this number, new artifacts become
 * files of their own.
 */
const BUNDLED_MAX = 2_000_000;
/** A bundle that could not be read is tried again at most this often. */
const UNREADABLE_RETRY_MS = 10_000;
/** A bundle that cannot be read for this long counts as lost, so that its files are asked for again. */
const UNREADABLE_LOST_MS = 60 * 60_000;

export type Bundled = { bundle: Bundle; entry: BundleEntry };

export type Bundles = {
  /** Answers from memory, as of the last look at the folder. */
  known(sha256: string): Bundled | null;
  /** Reads all changes of this and other processes to the folder before this call. */
  look(): Promise<void>;
  /** Adds a new bundle, which has its final name by now. */
  add(bundle: Bundle): void;
  /** Forgets a bundle whose file is gone. */
  forget(bundle: Bundle): Promise<void>;
  /** Takes one artifact out of a bundle, for all processes and for good. */
  takeOut(bundled: Bundled): Promise<void>;
  all(): Bundle[];
  /** True when no further bundle should be made, because the memory for their index is used up. */
  isFull(): boolean;
  /** True while a bundle cannot be read, which may hold any artifact that is not found. */
  hasUnreadable(): boolean;
  pathOf(id: string): string;
};

/**
 * Creates the bundles of a store, with their index in memory. A bundle that cannot be read does not affect the others:
 * the system may have refused it for a moment, so it stays where it is and is tried again.
 */
export function createBundles(folder: string, quarantine: string): Bundles {
  const index = createBundleIndex();
  const pathOf = (id: string): string => join(folder, `${id}${BUNDLE_ENDING}`);
  let settledNs: bigint | null = null;
  /** Remembers by id when a bundle could not be read for the first time. */
  const unreadable = new Map<string, number>();
  let triedAt = Number.NEGATIVE_INFINITY;

  const readAnew = onceAtATime(async () => {
    const { mtimeNs, mtimeMs } = await stat(folder, { bigint: true });
    const names = await readdir(folder);
    const files = names.filter((name) => name.endsWith(BUNDLE_ENDING));
    const ids = new Set(files.map((name) => basename(name, BUNDLE_ENDING)));
    for (const { id } of index.all()) if (!ids.has(id)) index.drop(id);
    for (const id of unreadable.keys()) if (!ids.has(id)) unreadable.delete(id);
    for (const id of ids) if (!index.holds(id)) await load(id);
    for (const name of names.filter((one) => one.endsWith(GONE_ENDING))) {
      const [id = '', sha256 = ''] = name.split('.');
      index.markGone(id, sha256);
    }
    triedAt = performance.now();
    settledNs = Date.now() - Number(mtimeMs) > SETTLED_MS ? mtimeNs : null;
  });

  async function load(id: string): Promise<void> {
    try {
      // The bundle is read twice before it is moved out for good, since a disk may misread once.
      const bundle = (await readBundle(pathOf(id))) ?? (await readBundle(pathOf(id)));
      if (bundle !== null) index.add(bundle);
      else await rename(pathOf(id), join(quarantine, basename(pathOf(id))));
      unreadable.delete(id);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') unreadable.delete(id);
      else if (errnoOf(error) === undefined) throw error;
      else if (!unreadable.has(id)) unreadable.set(id, performance.now());
    }
  }

  return {
    known: index.find,
    add: index.add,
    all: index.all,
    isFull: index.isFull,
    hasUnreadable: () => [...unreadable.values()].some((since) => performance.now() - since < UNREADABLE_LOST_MS),
    pathOf,
    async look() {
      const { mtimeNs } = await stat(folder, { bigint: true });
      const isRetryDue = unreadable.size > 0 && performance.now() - triedAt > UNREADABLE_RETRY_MS;
      if (mtimeNs !== settledNs || isRetryDue) await readAnew();
    },
    async forget(bundle) {
      index.drop(bundle.id);
      for (const sha256 of bundle.gone) await rm(gonePath(folder, bundle.id, sha256), { force: true });
    },
    async takeOut({ bundle, entry }) {
      index.markGone(bundle.id, entry.sha256);
      await createDurably(gonePath(folder, bundle.id, entry.sha256), '').catch(ignoring('EEXIST'));
    },
  };
}

/** The hashes are spread over this many maps by their first byte, because one map holds at most 2^24 of them. */
const SHARDS = 256;

/** Maps hashes to bundles in memory: 44 bytes and an entry in a map for each artifact, whose number `isFull` limits. */
function createBundleIndex() {
  const bundles = new Map<string, Bundle>();
  /** The key is the first 48 bits of a hash, so that a value may be a list of bundles. */
  const shards = Array.from({ length: SHARDS }, () => new Map<number, Bundle | Bundle[]>());
  let entryCount = 0;

  function shardOf(prefix: number): Map<number, Bundle | Bundle[]> {
    const shard = shards[Math.floor(prefix / 2 ** 40)];
    if (shard === undefined) throw new Error('A prefix has 48 bits.');
    return shard;
  }

  function bundlesAt(prefix: number): readonly Bundle[] {
    const found = shardOf(prefix).get(prefix) ?? [];
    return Array.isArray(found) ? found : [found];
  }

  return {
    all: (): Bundle[] => [...bundles.values()],
    holds: (id: string): boolean => bundles.has(id),
    isFull: (): boolean => entryCount >= BUNDLED_MAX,
    add(bundle: Bundle): void {
      bundles.set(bundle.id, bundle);
      for (const prefix of prefixesOf(bundle)) {
        const others = bundlesAt(prefix);
        shardOf(prefix).set(prefix, others.length === 0 ? bundle : [...others, bundle]);
        entryCount += 1;
      }
    },
    /** Touches the artifacts of this bundle alone, however many the others have. */
    drop(id: string): void {
      const bundle = bundles.get(id);
      if (bundle === undefined) return;
      bundles.delete(id);
      for (const prefix of prefixesOf(bundle)) {
        const others = bundlesAt(prefix).filter((other) => other !== bundle);
        if (others.length === 0) shardOf(prefix).delete(prefix);
        else shardOf(prefix).set(prefix, [...others]);
        entryCount -= 1;
      }
    },
    markGone: (id: string, sha256: string): void => void bundles.get(id)?.gone.add(sha256),
    find(sha256: string): Bundled | null {
      for (const bundle of bundlesAt(prefixOf(sha256))) {
        const entry = findInBundle(bundle, sha256);
        if (entry !== null) return { bundle, entry };
      }
      return null;
    },
  };
}

/** Each call resolves after a run that began later than the call; runs do not overlap. */
function onceAtATime(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return function start(): Promise<void> {
    if (current === undefined) {
      current = run().finally(() => {
        current = undefined;
      });
      return current;
    }
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}

function gonePath(folder: string, id: string, sha256: string): string {
  return join(folder, `${id}.${sha256}${GONE_ENDING}`);
}
