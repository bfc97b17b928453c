import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createDurably } from '../../lib/durable-file.ts';
import { errnoOf } from '../storage-errors.ts';
import { ignoring } from './folder.ts';
import { findInPack, PACK_ENDING, type Pack, type PackEntry, prefixesOf, prefixOf, readPack } from './pack.ts';

/** A file with this ending beside a pack marks one of its artifacts as removed: `{pack}.{sha256}.gone`. */
const GONE_ENDING = '.gone';
/** A folder that changed so recently may change again within the tick of its own clock. */
const SETTLED_MS = 2_000;
/**
 * The index of all packs is in memory, some 150 bytes for each artifact: beyond this number, new artifacts become
 * files of their own.
 */
const PACKED_MAX = 2_000_000;
/** A pack that could not be read is tried again at most this often. */
const UNREADABLE_RETRY_MS = 10_000;
/** A pack that cannot be read for this long counts as lost, so that its files are asked for again. */
const UNREADABLE_LOST_MS = 60 * 60_000;

export type Packed = { pack: Pack; entry: PackEntry };

export type Packs = {
  /** Answers from memory, as of the last look at the folder. */
  known(sha256: string): Packed | null;
  /** Reads all changes of this and other processes to the folder before this call. */
  look(): Promise<void>;
  /** Adds a new pack, which has its final name by now. */
  add(pack: Pack): void;
  /** Forgets a pack whose file is gone. */
  forget(pack: Pack): Promise<void>;
  /** Takes one artifact out of a pack, for all processes and for good. */
  takeOut(packed: Packed): Promise<void>;
  all(): Pack[];
  /** True when no further pack should be made, because the memory for their index is used up. */
  isFull(): boolean;
  /** True while a pack cannot be read, which may hold any artifact that is not found. */
  hasUnreadable(): boolean;
  pathOf(id: string): string;
};

/**
 * Creates the packs of a store, with their index in memory. A pack that cannot be read does not affect the others: the
 * system may have refused it for a moment, so it stays where it is and is tried again.
 */
export function createPacks(folder: string, quarantine: string): Packs {
  const index = createPackIndex();
  const pathOf = (id: string): string => join(folder, `${id}${PACK_ENDING}`);
  let settledNs: bigint | null = null;
  /** Remembers by id when a pack could not be read for the first time. */
  const unreadable = new Map<string, number>();
  let triedAt = Number.NEGATIVE_INFINITY;

  const readAnew = onceAtATime(async () => {
    const { mtimeNs, mtimeMs } = await stat(folder, { bigint: true });
    const names = await readdir(folder);
    const ids = new Set(names.filter((name) => name.endsWith(PACK_ENDING)).map((name) => basename(name, PACK_ENDING)));
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
      // The pack is read twice before it is moved out for good, since a disk may misread once.
      const pack = (await readPack(pathOf(id))) ?? (await readPack(pathOf(id)));
      if (pack !== null) index.add(pack);
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
    async forget(pack) {
      index.drop(pack.id);
      for (const sha256 of pack.gone) await rm(gonePath(folder, pack.id, sha256), { force: true });
    },
    async takeOut({ pack, entry }) {
      index.markGone(pack.id, entry.sha256);
      await createDurably(gonePath(folder, pack.id, entry.sha256), '').catch(ignoring('EEXIST'));
    },
  };
}

/** The hashes are spread over this many maps by their first byte, because one map holds at most 2^24 of them. */
const SHARDS = 256;

/** Maps hashes to packs in memory: 44 bytes and an entry in a map for each artifact, whose number `isFull` limits. */
function createPackIndex() {
  const packs = new Map<string, Pack>();
  /** The key is the first 48 bits of a hash, so that a value may be a list of packs. */
  const shards = Array.from({ length: SHARDS }, () => new Map<number, Pack | Pack[]>());
  let entryCount = 0;

  function shardOf(prefix: number): Map<number, Pack | Pack[]> {
    const shard = shards[Math.floor(prefix / 2 ** 40)];
    if (shard === undefined) throw new Error('A prefix has 48 bits.');
    return shard;
  }

  function packsAt(prefix: number): readonly Pack[] {
    const found = shardOf(prefix).get(prefix) ?? [];
    return Array.isArray(found) ? found : [found];
  }

  return {
    all: (): Pack[] => [...packs.values()],
    holds: (id: string): boolean => packs.has(id),
    isFull: (): boolean => entryCount >= PACKED_MAX,
    add(pack: Pack): void {
      packs.set(pack.id, pack);
      for (const prefix of prefixesOf(pack)) {
        const others = packsAt(prefix);
        shardOf(prefix).set(prefix, others.length === 0 ? pack : [...others, pack]);
        entryCount += 1;
      }
    },
    /** Touches the artifacts of this pack alone, however many the others have. */
    drop(id: string): void {
      const pack = packs.get(id);
      if (pack === undefined) return;
      packs.delete(id);
      for (const prefix of prefixesOf(pack)) {
        const others = packsAt(prefix).filter((other) => other !== pack);
        if (others.length === 0) shardOf(prefix).delete(prefix);
        else shardOf(prefix).set(prefix, [...others]);
        entryCount -= 1;
      }
    },
    markGone: (id: string, sha256: string): void => void packs.get(id)?.gone.add(sha256),
    find(sha256: string): Packed | null {
      for (const pack of packsAt(prefixOf(sha256))) {
        const entry = findInPack(pack, sha256);
        if (entry !== null) return { pack, entry };
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
