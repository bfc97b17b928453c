import type { Providers } from '../../context.ts';
import type { Change } from '../../database/change-feed.ts';
import { parseSiteHost, siteHost } from '../../lib/site-names.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { SiteRef } from '../responses/site.ts';
import { createSingleFlight } from '../single-flight.ts';
import { createFinder } from './find-route.ts';
import { createHeldNames } from './held-names.ts';
import { createPreviews } from './previews.ts';
import { createRouteRecheck } from './recheck-route.ts';
import { createRouteReader, type RouteReader } from './route-reader.ts';
import { createRoutes } from './routes.ts';
import { createSiteList, type Route } from './site-list.ts';
import { createSnapshot } from './snapshot.ts';

/** A start with a snapshot waits this long for the database before it serves the sites that it knows. */
const START_WAIT_MS = 3_000;
/** A change stream that loses a wake-up says so; this is for the day when it does not. */
const RELOAD_EVERY_MS = 60_000;
/** The list on disk is rewritten more rarely, since it serves nobody while the database is there. */
const REWRITE_EVERY_MS = 10 * 60_000;

export type RouteTable = {
  /** Returns the route of a host name from memory. */
  known(host: string): Route | undefined;
  /** Returns from memory the name that serves the proved domain of this name: itself, or its counterpart. */
  servedName(host: string): string | undefined;
  /**
   * Asks the database for a host name that memory does not know, on behalf of the visitor at `address`. Throws when it cannot
   * be asked, and `overloaded`.
   */
  find(host: string, address: string): Promise<Route | null>;
  /**
   * Returns the release that the database leads this live name to by now, if it is another one. While the database
   * cannot be asked, the known release is the live one, since nothing is switched without the database.
   */
  findNewer(route: Route): Promise<Route | null>;
  /** Reads everything anew; resolves when that is done or has failed. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type RouteTableOptions = {
  providers: Pick<Providers, 'addresses' | 'changes' | 'log' | 'now'>;
  dataDir: string;
  /** Called before a name moves to another release, so that its first visitor finds it in memory. */
  warm(ref: SiteRef): Promise<void>;
};

/**
 * Maps names to releases. Memory holds those of visited sites, read on request, and all proved domains; both follow
 * the change feed. All of them are on disk as well, for the time when the database is away. One loop reads the
 * releases and one the domains, so an older answer never overwrites a newer one.
 */
export function createRouteTable({ providers, dataDir, warm }: RouteTableOptions): RouteTable {
  const { sitesDomain } = providers.addresses;
  const hostOf = ({ slug }: Pick<Route, 'slug'>): string => siteHost(sitesDomain, { slug, release: null });
  const routes = createRoutes({ now: () => providers.now().getTime(), hostOf });
  const list = createSiteList(dataDir, providers.log);
  const snapshot = createSnapshot(dataDir, providers.log, () => ({ domains: [...held.all()] }));
  const previews = createPreviews();
  const reader = createRouteReader(providers.log, { routes, list, now: providers.now, warm });
  const held = createHeldNames(providers.log, snapshot.writeSoon);
  const find = createFinder({ sitesDomain, routes, reader, held, previews, list, known: (host) => known(host) });
  const lookups = createSingleFlight<Route | null>();
  let stopListening = (): void => undefined;
  let timers: NodeJS.Timeout[] = [];

  function onChange(change: Change): void {
    if (change.collection === 'domains') return void held.refresh([change.id]);
    previews.drop(change.id);
    // Of a live release nothing changes that its visitors see.
    if (change.collection === 'deployments' && isSeenByVisitors(change)) void reader.follow(change.id);
  }

  const known = (host: string): Route | undefined => routes.byHost(host) ?? previews.get(host) ?? ofDomain(host);
  const ofDomain = (host: string): Route | undefined => routes.byDeployment(held.byName(host)?.deploymentId ?? '');

  const reload = (): Promise<unknown> => Promise.all([reader.refresh(routes.ids()), held.refresh('all')]);

  async function refreshAll(): Promise<void> {
    previews.clear();
    await Promise.all([reader.refresh('all'), held.refresh('all')]);
  }

  return {
    known,
    servedName: (host) => held.byName(host)?.servedName,
    find: (host, address) =>
      lookups.once(host, routes.byHost(siteOf(host, sitesDomain))?.deploymentId ?? address, () => find(host)),
    findNewer: createNewerFinder(reader, (route) => routes.byHost(hostOf(route))),
    refresh: refreshAll,
    async start() {
      for (const domain of (await snapshot.read()).domains) held.restore(domain);
      stopListening = providers.changes.subscribe(['deployments', 'releases', 'domains'], {
        onChange,
        onReopened: () => void refreshAll(),
      });
      await withTimeout(refreshAll(), START_WAIT_MS, () => undefined);
      timers = [
        setInterval(() => void reload(), RELOAD_EVERY_MS).unref(),
        setInterval(() => void reader.refresh('all'), REWRITE_EVERY_MS).unref(),
      ];
    },
    async stop() {
      stopListening();
      for (const timer of timers) clearInterval(timer);
      reader.stop();
      held.stop();
      await snapshot.close();
    },
  };
}

/** The paths of a deployment that decide what visitors get: publishing changes the others more often than these. */
const SEEN_BY_VISITORS = [
  /^(?:slug|currentReleaseId|isSinglePage|hasCleanUrls|reusedNames)\b/,
  /^destinations(?:\.\d+(?:\.platform|\.releaseId)?)?$/,
];

function isSeenByVisitors({ paths, state }: Change): boolean {
  if (paths === undefined || state === 'deleting') return true;
  return paths.some((path) => SEEN_BY_VISITORS.some((seen) => seen.test(path)));
}

function createNewerFinder(reader: RouteReader, nowAt: (route: Route) => Route | undefined): RouteTable['findNewer'] {
  const lookAgain = createRouteRecheck((deploymentId) => reader.refresh([deploymentId]));
  return async (route) => {
    // While the database is away, each would wait for the next reading.
    if (!reader.isBehind()) await lookAgain(route.deploymentId);
    const found = nowAt(route);
    return found === undefined || found === route ? null : found;
  };
}

/** Returns the name of the site that a release's own address belongs to, and any other name unchanged. */
function siteOf(host: string, sitesDomain: string): string {
  const name = parseSiteHost(sitesDomain, host);
  return name === null ? host : siteHost(sitesDomain, { slug: name.slug, release: null });
}
