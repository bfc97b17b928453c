import type { Log } from '../../log.ts';
import type { SiteRef } from '../responses/site.ts';
import { createReadLoop, type ReadLoop } from './read-loop.ts';
import { type RouteRow, readAllRoutes, readRoutes } from './read-routes.ts';
import type { Routes } from './routes.ts';

type ReaderParts = { routes: Routes; now(): Date; warm(ref: SiteRef): Promise<void>; onChanged(): void };

/** Creates the loop that reads the live releases. */
export function createRouteReader(log: Log, { routes, now, warm, onChanged }: ReaderParts): ReadLoop {
  async function applyRows(rows: readonly RouteRow[]): Promise<boolean> {
    const news = rows.filter((row) => routes.isNews(row));
    for (const row of news) {
      if (routes.isKnown(row.deploymentId)) await warm(row);
      routes.apply(row);
    }
    return news.length > 0;
  }

  async function readAll(): Promise<void> {
    const seen = new Set<string>();
    let isChanged = false;
    for await (const rows of readAllRoutes(now())) {
      for (const row of rows) seen.add(row.deploymentId);
      if (await applyRows(rows)) isChanged = true;
    }
    if (routes.dropExcept(seen) || isChanged) onChanged();
  }

  async function readSome(ids: readonly string[]): Promise<void> {
    const rows = await readRoutes(ids, now());
    const served = new Set(rows.map((row) => row.deploymentId));
    const dropped = ids.filter((id) => !served.has(id) && routes.drop(id));
    const isChanged = await applyRows(rows);
    if (isChanged || dropped.length > 0) onChanged();
  }

  return createReadLoop(log, { readAll, readSome });
}
