import { LRUCache } from 'lru-cache';
import type { Change } from '../database/change-feed.ts';
import type { Providers } from '../service-context.ts';
import { parseSiteHost, siteHost } from '../site-names.ts';
import { withTimeout } from '../with-timeout.ts';
import { findDeploymentId, findPreview } from './read-routes.ts';
import { createRouteRecheck } from './recheck-route.ts';
import { createRouteReader } from './route-reader.ts';
import { createRoutes } from './routes.ts';
import { createSingleFlight } from './single-flight.ts';
import type { SiteRef } from './site.ts';
import { createSnapshot, type Route } from './snapshot.ts';

/** A start with a snapshot waits this long for the database before it serves what it knows. */
const START_WAIT_MS = 3_000;
/** A change stream that loses a wake-up says so; this is for the day when it does not. */
const RELOAD_EVERY_MS = 60_000;
const PREVIEWS_MAX = 5_000;

export type RouteTable = {
  /** Returns what a host name answers with, from memory. */
  known(host: string): Route | undefined;
  /** Asks the database for a host name that memory does not know. Throws when it cannot be asked. */
  find(host: string): Promise<Route | null>;
  /**
   * Returns what the database leads this live name to by now, when that is another release; null when it cannot be
   * asked.
   */
  findNewer(route: Route): Promise<Route | null> | null;
  /** Reads everything anew; resolves when that is done or has failed. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type RouteTableOptions = {
  providers: Pick<Providers, 'addresses' | 'changes' | 'log' | 'now'>;
  dataDir: string;
  /** Whether this process writes the names to disk. */
  keepsSnapshot: boolean;
  /** Called before a name moves to another release, so that its first visitor finds it in memory. */
  warm(ref: SiteRef): Promise<void>;
};

/**
 * Maps names to releases in memory: read whole from the database at the start, followed by the change feed, kept on
 * disk. One loop does all the reading, so an older answer never overwrites a newer one.
 */
export function createRouteTable({ providers, dataDir, keepsSnapshot, warm }: RouteTableOptions): RouteTable {
  const { sitesDomain } = providers.addresses;
  const hostOf = ({ slug }: Pick<Route, 'slug'>): string => siteHost(sitesDomain, { slug, release: null });
  const routes = createRoutes(() => providers.now().getTime(), hostOf);
  const snapshot = createSnapshot(dataDir, providers.log, routes.all);
  const previews = new LRUCache<string, Route>({ max: PREVIEWS_MAX });
  const onChanged = keepsSnapshot ? snapshot.writeSoon : (): void => undefined;
  const reader = createRouteReader(providers.log, { routes, now: providers.now, warm, onChanged });
  const lookups = createSingleFlight<Route | null>();
  const lookAgain = createRouteRecheck((deploymentId) => reader.refresh([deploymentId]));
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

  const known = (host: string): Route | undefined => routes.byHost(host) ?? previews.get(host);

  async function find(host: string): Promise<Route | null> {
    const name = parseSiteHost(sitesDomain, host);
    if (name === null) return null;
    if (name.release === null) {
      const deploymentId = await findDeploymentId(name.slug);
      if (deploymentId !== null) await reader.refresh([deploymentId]);
    } else {
      const row = await findPreview(name.slug, name.release);
      if (row !== null) previews.set(host, { ...row, earlier: [] });
    }
    return known(host) ?? null;
  }

  return {
    known,
    find: (host) => lookups.once(host, () => find(host)),
    findNewer: (route) => {
      if (reader.isBehind()) return null;
      return lookAgain(route.deploymentId).then(() => {
        const found = routes.byHost(hostOf(route));
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
      await withTimeout(reader.refresh('all'), START_WAIT_MS, () => undefined);
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
