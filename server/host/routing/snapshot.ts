import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { idSchema } from '../../../routers/schemas/primitives.ts';
import { makeFolder, writeDurably } from '../../lib/durable-file.ts';
import type { Log } from '../../lib/log.ts';
import type { HeldDomain } from './held-names.ts';

/** Raised when a field is added; a list of an older version is read anew from the database. */
const VERSION = 5;
const snapshotSchema = z.object({
  version: z.literal(VERSION),
  domains: z.array(
    z.object({ id: idSchema, deploymentId: idSchema, names: z.array(z.string()), servedName: z.string() }),
  ),
});

/** Changes come in bursts when many domains are added at once; one file holds them all. */
const WRITE_DELAY_MS = 200;
/** The file holds every domain, and a change of any one writes it whole. */
const WRITES_APART_MS = 3_000;

type SnapshotContent = { domains: HeldDomain[] };

export type Snapshot = {
  /** Returns the list that was written last; an empty one when there is none or it cannot be read. */
  read(): Promise<SnapshotContent>;
  /**
   * Soon writes what `current` returns by then, a few seconds after the last write at the earliest; many calls become
   * one write.
   */
  writeSoon(): void;
  /** Writes what is still waiting, and nothing that comes later. */
  close(): Promise<void>;
};

/**
 * Creates the list of domains on the local disk, so that every live site is served at all its names from the first
 * second although the database is away. The list is a copy: losing it costs nothing while the database is there.
 */
export function createSnapshot(dataDir: string, log: Log, current: () => SnapshotContent): Snapshot {
  const folder = join(dataDir, 'host');
  const path = join(folder, 'domains.json');
  let timer: NodeJS.Timeout | null = null;
  let notBefore = 0;
  let writing = Promise.resolve();
  let isClosed = false;

  async function write(): Promise<void> {
    try {
      await makeFolder(folder);
      const pieces = piecesOf(current());
      await writeDurably(path, (file) => writeFile(file, pieces));
    } catch (error) {
      log.warn('The list of domains could not be written to disk', { error: String(error) });
    }
  }

  function writeNow(): Promise<void> {
    timer = null;
    notBefore = performance.now() + WRITES_APART_MS;
    writing = writing.then(write);
    return writing;
  }

  return {
    async read() {
      try {
        return snapshotSchema.parse(JSON.parse(await readFile(path, 'utf8')));
      } catch (error) {
        const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isAbsent) log.warn('The list of domains on disk cannot be read', { error: String(error) });
        return { domains: [] };
      }
    },
    writeSoon() {
      if (isClosed) return;
      timer ??= setTimeout(() => void writeNow(), Math.max(WRITE_DELAY_MS, notBefore - performance.now()));
    },
    async close() {
      isClosed = true;
      if (timer !== null) {
        clearTimeout(timer);
        await writeNow();
      }
      await writing;
    },
  };
}

/** With 100,000 domains the list has 20 MB, so other work gets a turn after each piece. */
const ITEMS_A_PIECE = 100;

function* piecesOf({ domains }: SnapshotContent): Generator<string, void> {
  yield `{"version":${VERSION},"domains":[`;
  for (let from = 0; from < domains.length; from += ITEMS_A_PIECE) {
    const piece = domains.slice(from, from + ITEMS_A_PIECE).map((domain) => JSON.stringify(domain));
    yield `${from === 0 ? '' : ','}${piece.join(',')}`;
  }
  yield ']}';
}
