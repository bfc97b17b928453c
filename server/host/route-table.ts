import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '../database/change-feed.ts';
import type { Providers } from '../service-context.ts';
import { createLookups } from './lookups.ts';
import { findDeploymentId, findPreview } from './read-routes.ts';
import { createRouteReader } from './route-reader.ts';
import { createRoutes } from './routes.ts';
import { createSecondLook } from './second-look.ts';
import type { SiteRef } from './site.ts';
import { createSnapshot, type Route } from './snapshot.ts';

/** A start with a snapshot waits this long for the database before it serves what it knows. */
const START_WAIT_MS = 3_000;
/** A change stream that loses a wake-up says so; this is for the day when it does not. */
const RELOAD_EVERY_MS = 60_000;
const PREVIEWS_MAX = 5_000;

export type RouteTable = {
  /** The live release of a name, from memory. */
  live(slug: string): Route | undefined;
  preview(slug: string, number: number): Route | undefined;
  /** Asks the database for a name that memory does not know. Throws when it cannot be asked. */
  findLive(slug: string): Promise<Route | null>;
  findPreview(slug: string, number: number): Promise<Route | null>;
  /** What the database leads this live name to by now, when that is another release; null when it cannot be asked. */
  findNewer(route: Route): Promise<Route | null> | null;
  /** Reads everything anew; resolves when that is done or has failed. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type RouteTableOptions = {
  providers: Pick<Providers, 'changes' | 'log' | 'now'>;
  dataDir: string;
  /** Whether this process writes the names to disk. */
  keepsSnapshot: boolean;
  /** Called before a name moves to another release, so that its first visitor finds it in memory. */
  warm(ref: SiteRef): Promise<void>;
};

/**
 * Names to releases, in memory: read whole from the database at the start, followed by the change feed, kept on disk.
 * One loop does all the reading, so an older answer never overwrites a newer one.
 */
export function createRouteTable({ providers, dataDir, keepsSnapshot, warm }: RouteTableOptions): RouteTable {
  const routes = createRoutes(() => providers.now().getTime());
  const snapshot = createSnapshot(dataDir, providers.log, routes.all);
  const previews = new Map<string, Route>();
  const onChanged = keepsSnapshot ? snapshot.writeSoon : (): void => undefined;
  const reader = createRouteReader(providers.log, { routes, now: providers.now, warm, onChanged });
  const lookups = createLookups<Route | null>();
  const lookAgain = createSecondLook((deploymentId) => reader.refresh([deploymentId]));
  let stopListening = (): void => undefined;
  let reloadTimer: NodeJS.Timeout | undefined;

  function onChange(change: Change): void {
    for (const [key, route] of previews) {
      if (route.deploymentId === change.id || route.releaseId === change.id) previews.delete(key);
    }
    // Of a live release one thing changes: that its compressed files are made.
    const deploymentId = change.collection === 'deployments' ? change.id : routes.deploymentOf(change.id);
    if (deploymentId !== undefined) void reader.refresh([deploymentId]);
  }

  return {
    live: routes.bySlug,
    preview: (slug, number) => previews.get(`${number}--${slug}`),
    findLive: (slug) =>
      lookups.once(slug, async () => {
        const deploymentId = await findDeploymentId(slug);
        if (deploymentId === null) return null;
        await reader.refresh([deploymentId]);
        return routes.bySlug(slug) ?? null;
      }),
    findPreview: (slug, number) =>
      lookups.once(`${number}--${slug}`, async () => {
        const row = await findPreview(slug, number);
        if (row === null) return null;
        const route = { ...row, earlier: [] };
        if (previews.size >= PREVIEWS_MAX) previews.clear();
        previews.set(`${number}--${slug}`, route);
        return route;
      }),
    findNewer: (route) => {
      if (reader.isBehind()) return null;
      return lookAgain(route.deploymentId).then(() => {
        const found = routes.bySlug(route.slug);
        return found === undefined || found === route ? null : found;
      });
    },
    refresh: () => {
      previews.clear();
      return reader.refresh('all');
    },
    async start() {
      for (const route of await snapshot.read()) routes.restore(route);
      stopListening = providers.changes.subscribe(['deployments', 'releases'], {
        onChange,
        onReopened: () => {
          previews.clear();
          void reader.refresh('all');
        },
      });
      const giveUp = new AbortController();
      await Promise.race([
        reader.refresh('all'),
        delay(START_WAIT_MS, null, { signal: giveUp.signal }).catch(() => null),
      ]);
      giveUp.abort();
      reloadTimer = setInterval(() => void reader.refresh('all'), RELOAD_EVERY_MS).unref();
    },
    async stop() {
      stopListening();
      clearInterval(reloadTimer);
      reader.stop();
      await snapshot.close();
    },
  };
}
