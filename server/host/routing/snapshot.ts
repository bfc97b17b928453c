import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { idSchema, sha256Schema } from '../../../routers/schemas/primitives.ts';
import { makeFolder, writeDurably } from '../../durable-file.ts';
import type { Log } from '../../log.ts';
import type { HeldDomain } from './held-names.ts';

/** The release behind a name, and how it is served. */
export type Route = {
  slug: string;
  deploymentId: string;
  accountId: string;
  releaseId: string;
  manifestHash: string;
  /** The list of its compressed files; null until they are made. */
  variantsHash: string | null;
  isSinglePage: boolean;
  hasCleanUrls: boolean;
  /** Paths that changed their content under a name that promises none (cache-rule.ts). */
  reusedNames: readonly string[];
  /** Releases it answered with shortly before, newest first; their hashed assets still answer until then. */
  earlier: readonly { manifestHash: string; until: number }[];
};

/** An open tab finds the assets of the release it was loaded from for a day. */
export const EARLIER_ASSETS_MS = 24 * 60 * 60_000;

/** Raised when a field is added: an older list is read anew from the database. */
const VERSION = 5;
const snapshotSchema = z.object({
  version: z.literal(VERSION),
  routes: z.array(
    z.object({
      slug: z.string(),
      deploymentId: idSchema,
      accountId: idSchema,
      releaseId: idSchema,
      manifestHash: sha256Schema,
      variantsHash: z.nullable(sha256Schema),
      isSinglePage: z.boolean(),
      hasCleanUrls: z.boolean(),
      reusedNames: z.array(z.string()),
      earlier: z.array(z.object({ manifestHash: sha256Schema, until: z.number() })),
    }),
  ),
  domains: z.array(
    z.object({ id: idSchema, deploymentId: idSchema, names: z.array(z.string()), servedName: z.string() }),
  ),
});

/** Switches come in bursts when many sites are published at once; one file holds them all. */
const WRITE_DELAY_MS = 200;
/** It holds every name, and anybody's one switch writes it whole. */
const WRITES_APART_MS = 3_000;

type Kept = { routes: Route[]; domains: HeldDomain[] };

export type Snapshot = {
  /** Returns what was written last; nothing when there is none or it cannot be read. */
  read(): Promise<Kept>;
  /** Writes what `current` answers then, soon, and a few seconds after the last time; many calls become one write. */
  writeSoon(): void;
  /** Writes what is still waiting, and nothing that comes later. */
  close(): Promise<void>;
};

/**
 * Creates the route table on the local disk, so that every live site is served at all its names from the first second although the
 * database is away. It is a copy: losing it costs nothing while the database is there.
 */
export function createSnapshot(dataDir: string, log: Log, current: () => Kept): Snapshot {
  const folder = join(dataDir, 'host');
  const path = join(folder, 'routes.json');
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
      log.warn('The list of live sites could not be written to disk', { error: String(error) });
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
        if (!isAbsent) log.warn('The list of live sites on disk cannot be read', { error: String(error) });
        return { routes: [], domains: [] };
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

/** With 25,000 names the list has 8 MB: others have their turn after each piece of it. */
const ITEMS_A_PIECE = 100;

function* piecesOf({ routes, domains }: Kept): Generator<string, void> {
  yield `{"version":${VERSION},"routes":[`;
  yield* itemsOf(routes);
  yield '],"domains":[';
  yield* itemsOf(domains);
  yield ']}';
}

function* itemsOf(items: readonly unknown[]): Generator<string, void> {
  for (let from = 0; from < items.length; from += ITEMS_A_PIECE) {
    const piece = items.slice(from, from + ITEMS_A_PIECE).map((item) => JSON.stringify(item));
    yield `${from === 0 ? '' : ','}${piece.join(',')}`;
  }
}
