import { appendFile, type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { idSchema, sha256Schema } from '../../../routers/schemas/primitives.ts';
import { errnoOf, makeFolder, writeDurably } from '../../lib/durable-file.ts';
import type { Log } from '../../lib/log.ts';

/** The release behind a name, and how it is served. */
export type Route = {
  slug: string;
  deploymentId: string;
  accountId: string;
  releaseId: string;
  manifestHash: string;
  isSinglePage: boolean;
  hasCleanUrls: boolean;
  /** Paths whose names promise that their content never changes although it did (cache-rule.ts). */
  reusedNames: readonly string[];
  /** Releases that the name led to shortly before, newest first; their hashed assets still answer until then. */
  earlier: readonly { manifestHash: string; until: number }[];
};

/** An open tab finds the assets of the release it was loaded from for a day. */
export const EARLIER_ASSETS_MS = 24 * 60 * 60_000;

const routeSchema = z.object({
  slug: z.string(),
  deploymentId: idSchema,
  accountId: idSchema,
  releaseId: idSchema,
  manifestHash: sha256Schema,
  isSinglePage: z.boolean(),
  hasCleanUrls: z.boolean(),
  reusedNames: z.array(z.string()),
  earlier: z.array(z.object({ manifestHash: sha256Schema, until: z.number() })),
});

/** The current state of a deployment: its route, or its id alone when it serves nothing any more. */
export type Listed = Route | { deploymentId: string };

/** The list is searched in pieces of this size, each in a millisecond. */
const PIECE_BYTES = 1024 * 1024;
/**
 * A line has some 400 bytes, plus 100 for each of at most 100 releases of a day, plus 200 names of up to 1,024 bytes.
 */
const LINE_BYTES_MAX = 256 * 1024;

export type SiteList = {
  /** Returns the live site of this name, or of this deployment; undefined when the list cannot be read. */
  find(key: { slug: string } | { deploymentId: string }): Promise<Route | undefined>;
  /** Notes the changes of these deployments since the list was written. */
  append(changed: readonly Listed[]): Promise<void>;
  /** Writes the list anew; throws what `routes` throws. */
  rewrite(routes: AsyncIterable<readonly Route[]>): Promise<void>;
};

/**
 * Creates the list of all live sites on the local disk, so that each is served although the database is away, and a
 * site that nobody visits takes no memory. The list is a copy: losing it costs nothing while the database is there. It
 * has a line for each site, and the last line of a deployment counts.
 */
export function createSiteList(dataDir: string, log: Log): SiteList {
  const folder = join(dataDir, 'host');
  const path = join(folder, 'sites.ndjson');
  // Searches run one after another, because names that nobody has can be asked for without end, and each search reads
  // the whole list. None waits for a write, which may wait for the database.
  const look = createTurns();
  const write = createTurns();
  const unlessFailing = async <T>(work: Promise<T>, failure: string): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') log.warn(failure, { error: String(error) });
      return undefined;
    }
  };
  const notWritten = 'The list of live sites could not be written to disk';

  return {
    find: (key) =>
      unlessFailing(
        look(() => findIn(path, key)),
        'The list of live sites on disk cannot be read',
      ),
    append: (changed) =>
      unlessFailing(
        write(() => appendFile(path, changed.map(lineOf).join(''))),
        notWritten,
      ),
    async rewrite(routes) {
      let readFailure: unknown;
      async function* lines(): AsyncGenerator<string, void> {
        try {
          for await (const batch of routes) yield batch.map(lineOf).join('');
        } catch (error) {
          readFailure = error;
          throw error;
        }
      }
      const written = write(async () => {
        await makeFolder(folder);
        await writeDurably(path, (file) => writeFile(file, lines()));
      });
      await unlessFailing(written, notWritten);
      if (readFailure !== undefined) throw readFailure;
    },
  };
}

function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

async function findIn(path: string, key: { slug: string } | { deploymentId: string }): Promise<Route | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const found = await lastLineWith(file, size, markOf(key));
    const route = found && toRoute(found.text);
    if (route === undefined || 'deploymentId' in key) return route;
    // It may have another name since then, or serve nothing any more.
    const latest = await lastLineWith(file, size, markOf({ deploymentId: route.deploymentId }));
    return latest?.at === found?.at ? route : undefined;
  } finally {
    await file.close();
  }
}

/** Returns the part of a line that names its deployment or its site. */
function markOf(key: { slug: string } | { deploymentId: string }): string {
  const [[name, value] = []] = Object.entries(key);
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** Searches from the end to the start. */
async function lastLineWith(
  file: FileHandle,
  size: number,
  mark: string,
): Promise<{ at: number; text: string } | undefined> {
  // Pieces overlap, so that a line across their border is whole in one of them.
  const piece = Buffer.allocUnsafe(PIECE_BYTES + LINE_BYTES_MAX);
  for (let from = size; from > 0; ) {
    const to = Math.min(from + LINE_BYTES_MAX, size);
    from = Math.max(0, from - PIECE_BYTES);
    const { bytesRead } = await file.read(piece, 0, to - from, from);
    const bytes = piece.subarray(0, bytesRead);
    const at = bytes.lastIndexOf(mark);
    const start = at < 0 ? 0 : bytes.lastIndexOf('\n', at) + 1;
    // A line without its start here is whole in the piece before.
    if (at < 0 || (start === 0 && from > 0)) continue;
    const end = bytes.indexOf('\n', at);
    return { at: from + start, text: bytes.toString('utf8', start, end < 0 ? bytes.length : end) };
  }
  return undefined;
}

/** A line that was cut off when the machine stopped does not count. */
function toRoute(line: string): Route | undefined {
  try {
    return routeSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Begins with a line break as well, in case the previous line was cut off. */
function lineOf(listed: Listed): string {
  return `\n${JSON.stringify(listed)}\n`;
}
