import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../lib/log.ts';
import { createReadLoop, type ReadLoop } from './read-loop.ts';

type Named = { id: string; names: readonly string[] };

export type NameIndex<T extends Named> = Pick<ReadLoop, 'refresh' | 'stop'> & {
  byName(name: string): T | undefined;
  all(): Iterable<T>;
  /** Adds an item that was known before the database is read. */
  restore(item: T): void;
};

type NameIndexOptions<T> = {
  /** Reads these documents, or all; one that is not among the rows no longer exists. */
  read(ids: 'all' | readonly string[]): AsyncIterable<T>;
  /** Decides which of two items gets a name that both have; when absent, the later one does. */
  precedes?(item: T, other: T): boolean;
  /** Called after a reading that changed something. */
  onChanged?(): void;
};

/**
 * Holds documents in memory that are looked up by one of their names, with the loop that reads them. Its two maps
 * always agree, and the old names of a document answer until the new ones are in place.
 */
export function createNameIndex<T extends Named>(
  log: Log,
  { read, precedes = () => true, onChanged }: NameIndexOptions<T>,
): NameIndex<T> {
  const byId = new Map<string, T>();
  const byName = new Map<string, T>();

  function drop(id: string): boolean {
    const known = byId.get(id);
    if (known === undefined) return false;
    byId.delete(id);
    for (const name of known.names) {
      // The name may belong to another item by now.
      if (byName.get(name) === known) byName.delete(name);
    }
    return true;
  }

  /** Returns whether the item is new or changed. A known item takes back a name that is free again. */
  function put(item: T): boolean {
    const known = byId.get(item.id);
    const isKnown = known !== undefined && isDeepStrictEqual(known, item);
    const current = isKnown ? known : item;
    if (!isKnown) drop(item.id);
    byId.set(item.id, current);
    for (const name of current.names) {
      const other = byName.get(name);
      if (other === undefined || (!isKnown && precedes(current, other))) byName.set(name, current);
    }
    return !isKnown;
  }

  async function readRows(ids: 'all' | readonly string[]): Promise<void> {
    const gone = new Set(ids === 'all' ? byId.keys() : ids);
    let isChanged = false;
    for await (const item of read(ids)) {
      gone.delete(item.id);
      if (put(item)) isChanged = true;
    }
    for (const id of gone) if (drop(id)) isChanged = true;
    if (isChanged) onChanged?.();
  }

  const { refresh, stop } = createReadLoop(log, { readAll: () => readRows('all'), readSome: readRows });
  return { byName: (name) => byName.get(name), all: () => byId.values(), restore: put, refresh, stop };
}
