import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { type RouteRow, readAllRoutes, readRoutes } from './read-routes.ts';
import type { Routes } from './routes.ts';
import type { SiteRef } from './site.ts';

const RETRY_MS = 1_000;

type ReaderParts = { routes: Routes; now(): Date; warm(ref: SiteRef): Promise<void>; onChanged(): void };

/** Creates the one loop that reads: what is asked for while it reads is read in its next round. */
export function createRouteReader(log: Log, { routes, now, warm, onChanged }: ReaderParts) {
  const stopped = new AbortController();
  let dirty = new Set<string>();
  let isAllDirty = false;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let isRetrying = false;
  let hasFailed = false;

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

  async function readRound(): Promise<void> {
    const all = isAllDirty;
    const ids = [...dirty];
    isAllDirty = false;
    dirty = new Set();
    try {
      if (all) await readAll();
      else await readSome(ids);
      hasFailed = false;
    } catch (error) {
      hasFailed = true;
      isAllDirty = true;
      void retryLater();
      log.warn('The host cannot read the database; it serves what it knows', { error: String(error) });
    }
  }

  async function retryLater(): Promise<void> {
    if (isRetrying) return;
    isRetrying = true;
    await delay(RETRY_MS, null, { signal: stopped.signal, ref: false }).catch(() => null);
    isRetrying = false;
    if (!stopped.signal.aborted) void refresh([]);
  }

  /** Resolves after a round that began later than this call. */
  function refresh(what: 'all' | readonly string[]): Promise<void> {
    if (stopped.signal.aborted) return Promise.resolve();
    if (what === 'all') isAllDirty = true;
    else for (const id of what) dirty.add(id);
    next ??= running.then(() => {
      running = next ?? running;
      next = null;
      return readRound();
    });
    return next;
  }

  return {
    refresh,
    /** The last reading failed: to ask for another now would only wait. */
    isBehind: () => hasFailed,
    stop: () => stopped.abort(),
  };
}
