import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../lib/log.ts';
import { createReadLoop, type ReadLoop } from './read-loop.ts';

type Named = { id: string; names: readonly string[] };

export type NameIndex<T extends Named> = Pick<ReadLoop, 'refresh' | 'stop'> & {
  byName(name: string): T | undefined;
  all(): Iterable<T>;
  /** Puts in what was known before the database is read. */
  restore(item: T): void;
};

type NameIndexOptions<T> = {
  /** Reads these documents, or all; one that is not among the rows is no longer there. */
  read(ids: 'all' | readonly string[]): AsyncIterable<T>;
  /** Which of two has a name that both bear; the later one where it is left out. */
  precedes?(item: T, other: T): boolean;
  /** Called after a reading that changed something. */
  onChanged?(): void;
};

/**
 * Holds documents in memory that are looked up by one of their names, with the loop that reads them: two maps that
 * always agree. The old names of a document answer until its new ones stand.
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
      // The name may be another's by now.
      if (byName.get(name) === known) byName.delete(name);
    }
    return true;
  }

  /** Whether that changes anything. What is known already takes back a name that nobody has any more. */
  function put(item: T): boolean {
    const known = byId.get(item.id);
    const isKnown = known !== undefined && isDeepStrictEqual(known, item);
    const kept = isKnown ? known : item;
    if (!isKnown) drop(item.id);
    byId.set(item.id, kept);
    for (const name of kept.names) {
      const other = byName.get(name);
      if (other === undefined || (!isKnown && precedes(kept, other))) byName.set(name, kept);
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
