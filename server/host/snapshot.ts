import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { idSchema, sha256Schema } from '../../routers/schemas/primitives.ts';
import { makeFolder, writeDurably } from '../durable-file.ts';
import type { Log } from '../log.ts';

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
  /** Releases it answered with shortly before, newest first; their hashed assets still answer until then. */
  earlier: readonly { manifestHash: string; until: number }[];
};

/** An open tab finds the assets of the release it was loaded from for a day. */
export const EARLIER_ASSETS_MS = 24 * 60 * 60_000;

/** Raised when a field is added: an older list is read anew from the database. */
const VERSION = 3;
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
      earlier: z.array(z.object({ manifestHash: sha256Schema, until: z.number() })),
    }),
  ),
});

/** Switches come in bursts when many sites are published at once; one file holds them all. */
const WRITE_DELAY_MS = 200;

export type Snapshot = {
  /** Returns what was written last; nothing when there is none or it cannot be read. */
  read(): Promise<Route[]>;
  /** Writes what `routes` answers then, soon; many calls become one write. */
  writeSoon(): void;
  /** Writes what is still waiting, and nothing that comes later. */
  close(): Promise<void>;
};

/**
 * Creates the route table on the local disk, so that every live site is served from the first second although the
 * database is away. It is a copy: losing it costs nothing while the database is there.
 */
export function createSnapshot(dataDir: string, log: Log, routes: () => Iterable<Route>): Snapshot {
  const folder = join(dataDir, 'host');
  const path = join(folder, 'routes.json');
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();
  let isClosed = false;

  async function write(): Promise<void> {
    try {
      await makeFolder(folder);
      const text = JSON.stringify({ version: VERSION, routes: [...routes()] });
      await writeDurably(path, (file) => file.writeFile(text));
    } catch (error) {
      log.warn('The list of live sites could not be written to disk', { error: String(error) });
    }
  }

  function writeNow(): Promise<void> {
    timer = null;
    writing = writing.then(write);
    return writing;
  }

  return {
    async read() {
      try {
        return snapshotSchema.parse(JSON.parse(await readFile(path, 'utf8'))).routes;
      } catch (error) {
        const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isAbsent) log.warn('The list of live sites on disk cannot be read', { error: String(error) });
        return [];
      }
    },
    writeSoon() {
      if (!isClosed) timer ??= setTimeout(() => void writeNow(), WRITE_DELAY_MS);
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
