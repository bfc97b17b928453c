import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createDurably } from '../durable-file.ts';
import { ignoring } from './disk-folder.ts';
import { entriesOf, findInPack, PACK_ENDING, type Pack, type PackEntry, readPack } from './disk-pack.ts';
import { errnoOf } from './storage-errors.ts';

/** Beside a pack: one of its artifacts that counts as not there. `{pack}.{sha256}.gone` */
const GONE_ENDING = '.gone';
/** A folder that changed so recently may change again within the tick of its own clock. */
const SETTLED_MS = 2_000;

export type Packed = { pack: Pack; entry: PackEntry };

export type Packs = {
  /** From memory, as of the last look at the folder. */
  known(sha256: string): Packed | null;
  /** Takes notice of what this and other processes did to the folder before this call. */
  look(): Promise<void>;
  /** A new pack, which has its name by now. */
  add(pack: Pack): void;
  /** Its file is gone. */
  forget(pack: Pack): Promise<void>;
  /** Takes one artifact out of a pack, for all processes and for good. */
  takeOut(packed: Packed): Promise<void>;
  all(): Pack[];
  pathOf(id: string): string;
};

/** The packs of a store; what is in them is kept in memory. */
export function createPacks(folder: string, quarantine: string): Packs {
  const index = createPackIndex();
  const pathOf = (id: string): string => join(folder, `${id}${PACK_ENDING}`);
  let settledNs: bigint | null = null;

  const readAnew = onceAtATime(async () => {
    const { mtimeNs, mtimeMs } = await stat(folder, { bigint: true });
    const names = await readdir(folder);
    const ids = new Set(names.filter((name) => name.endsWith(PACK_ENDING)).map((name) => basename(name, PACK_ENDING)));
    for (const { id } of index.all()) if (!ids.has(id)) index.drop(id);
    for (const id of ids) if (!index.holds(id)) await load(id);
    for (const name of names.filter((one) => one.endsWith(GONE_ENDING))) {
      const [id = '', sha256 = ''] = name.split('.');
      index.markGone(id, sha256);
    }
    settledNs = Date.now() - Number(mtimeMs) > SETTLED_MS ? mtimeNs : null;
  });

  async function load(id: string): Promise<void> {
    try {
      const pack = await readPack(pathOf(id));
      if (pack !== null) index.add(pack);
      else await rename(pathOf(id), join(quarantine, basename(pathOf(id))));
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }

  return {
    known: index.find,
    add: index.add,
    all: index.all,
    pathOf,
    async look() {
      const { mtimeNs } = await stat(folder, { bigint: true });
      if (mtimeNs !== settledNs) await readAnew();
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

/** From hash to pack, in memory: 44 bytes and a place in a map for each artifact. */
function createPackIndex() {
  const packs = new Map<string, Pack>();
  /** By the first 48 bits of a hash. Of several packs that have it one is found, which is enough. */
  let byPrefix = new Map<number, Pack>();

  function add(pack: Pack): void {
    packs.set(pack.id, pack);
    for (const { sha256 } of entriesOf(pack)) byPrefix.set(prefixOf(sha256), pack);
  }

  return {
    add,
    all: (): Pack[] => [...packs.values()],
    holds: (id: string): boolean => packs.has(id),
    drop(id: string): void {
      if (!packs.delete(id)) return;
      byPrefix = new Map();
      for (const pack of packs.values()) add(pack);
    },
    markGone: (id: string, sha256: string): void => void packs.get(id)?.gone.add(sha256),
    find(sha256: string): Packed | null {
      const first = byPrefix.get(prefixOf(sha256));
      if (first === undefined) return null;
      // Not in the first one: another hash of this prefix, or gone there and in another pack still.
      for (const pack of [first, ...packs.values()]) {
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

function prefixOf(sha256: string): number {
  return Number.parseInt(sha256.slice(0, 12), 16);
}
