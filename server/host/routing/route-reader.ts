import type { Log } from '../../lib/log.ts';
import type { SiteRef } from '../responses/site.ts';
import { createReadLoop, type ReadLoop } from './read-loop.ts';
import { type RouteRow, readAllRoutes, readRoutes } from './read-routes.ts';
import type { Routes } from './routes.ts';
import type { Route, SiteList } from './site-list.ts';

type ReaderDeps = {
  routes: Routes;
  /** Holds the live sites for the time when the database is away. */
  list: SiteList;
  now(): Date;
  warm(ref: SiteRef): Promise<void>;
};

export type RouteReader = ReadLoop & {
  /** Reads a site into memory on request. */
  bring(deploymentId: string): Promise<void>;
  /** Reads a site that was changed. */
  follow(deploymentId: string): Promise<void>;
};

/** Ids in one query, whose answer is held whole. */
const IDS_A_QUERY = 500;

/** Creates the loop that reads live releases: those in memory, requested ones, and all of them for the list. */
export function createRouteReader(log: Log, { routes, list, now, warm }: ReaderDeps): RouteReader {
  /** The number of visitors who wait for a deployment: one whose round failed must not take the wish of another away. */
  const wanted = new Map<string, number>();
  const changed = new Set<string>();

  async function applyRow(row: RouteRow): Promise<void> {
    const isKnown = routes.isKnown(row.deploymentId);
    if (!(isKnown || wanted.has(row.deploymentId)) || !routes.isNews(row)) return;
    if (isKnown) await warm(row);
    routes.apply(row);
  }

  async function readQuery(ids: readonly string[]): Promise<void> {
    // Unmarked before the read, so that a change that comes meanwhile belongs to the next round.
    const listed = ids.filter((id) => changed.delete(id));
    const rows = new Map((await readRoutes(ids, now())).map((row) => [row.deploymentId, row]));
    for (const id of ids) if (!rows.has(id)) routes.drop(id);
    for (const row of rows.values()) await applyRow(row);
    if (listed.length === 0) return;
    await list.append(
      listed.map((deploymentId) => {
        const row = rows.get(deploymentId);
        return row === undefined ? { deploymentId } : routes.toRoute(row);
      }),
    );
  }

  async function readSome(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += IDS_A_QUERY) await readQuery(ids.slice(from, from + IDS_A_QUERY));
  }

  async function* allRoutes(): AsyncGenerator<Route[], void> {
    for await (const rows of readAllRoutes(now())) yield rows.map(routes.toRoute);
  }

  async function readAll(): Promise<void> {
    // This reading covers all changes so far; later ones are appended after it.
    changed.clear();
    await readSome([...new Set([...routes.ids(), ...wanted.keys()])]);
    await list.rewrite(allRoutes());
  }

  const loop = createReadLoop(log, { readAll, readSome });
  return {
    ...loop,
    async bring(deploymentId) {
      wanted.set(deploymentId, (wanted.get(deploymentId) ?? 0) + 1);
      await loop.refresh([deploymentId]);
      const waiting = (wanted.get(deploymentId) ?? 0) - 1;
      if (waiting > 0) wanted.set(deploymentId, waiting);
      else wanted.delete(deploymentId);
    },
    follow(deploymentId) {
      changed.add(deploymentId);
      return loop.refresh([deploymentId]);
    },
  };
}
