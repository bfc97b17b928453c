import { LRUCache } from 'lru-cache';
import type { RouteRow } from './read-routes.ts';
import { EARLIER_ASSETS_MS, type Route } from './site-list.ts';

/**
 * Releases of one day that are remembered, latest first: one every quarter of an hour. Each is a hash and a time, some
 * 150 bytes: a site that is published all day takes 15 KiB, and one that is left alone nothing.
 */
const EARLIER_MAX = 100;

/** Ids, hashes and names with their places in two maps, and of each earlier release a hash and a time: from above. */
const ROUTE_BYTES = 1024;
const EARLIER_BYTES = 150;
/** Enough for some 60,000 sites visited at one time; others are asked for again. */
const ROUTES_MAX_BYTES = 64 * 1024 * 1024;

/** A change of these fields changes an answer. */
const NEWS = ['slug', 'releaseId', 'manifestHash', 'isSinglePage', 'hasCleanUrls'] as const;

type RoutesDeps = { now(): number; hostOf(route: Route): string; maxBytes?: number };

/**
 * Creates the routes of the live sites that are visited, by host name and by deployment: maps that always agree. The longest
 * unused gives way.
 */
export function createRoutes({ now, hostOf, maxBytes = ROUTES_MAX_BYTES }: RoutesDeps) {
  const byHost = new Map<string, Route>();
  const byDeployment = new LRUCache<string, Route>({
    maxSize: maxBytes,
    sizeCalculation: ({ earlier, reusedNames }) =>
      ROUTE_BYTES + earlier.length * EARLIER_BYTES + 2 * reusedNames.join('').length,
    dispose(route) {
      // The name may belong to another deployment by now.
      if (byHost.get(hostOf(route)) === route) byHost.delete(hostOf(route));
    },
  });

  function put(route: Route): void {
    // First, since replacing a route removes the names of the previous one.
    byDeployment.set(route.deploymentId, route);
    byHost.set(hostOf(route), route);
  }

  return {
    /** Returns the route and marks it as used. */
    byHost: (host: string) => byDeployment.get(byHost.get(host)?.deploymentId ?? ''),
    byDeployment: (deploymentId: string) => byDeployment.get(deploymentId),
    ids: () => [...byDeployment.keys()],
    restore: put,
    drop: (deploymentId: string) => byDeployment.delete(deploymentId),
    isNews(row: RouteRow): boolean {
      const known = byDeployment.peek(row.deploymentId);
      return (
        known === undefined || NEWS.some((field) => known[field] !== row[field]) || !knowsReplaced(known, row, now())
      );
    },
    /** Returns whether a visitor may be on the site right now, so that the new release is worth warming. */
    isKnown: (deploymentId: string) => byDeployment.has(deploymentId),
    apply(row: RouteRow): void {
      put(toRoute(row, byDeployment.peek(row.deploymentId), now()));
    },
    /** Makes the route of a site that is not in memory. */
    toRoute: (row: RouteRow): Route => toRoute(row, undefined, now()),
  };
}

export type Routes = ReturnType<typeof createRoutes>;

/**
 * Combines the earlier releases that the database knows with those that this process has served, which no other may
 * know of.
 */
function earlierOf(row: RouteRow, before: Route | undefined, now: number): Route['earlier'] {
  const served = before === undefined ? [] : [{ ...before, until: now + EARLIER_ASSETS_MS }, ...before.earlier];
  const ends = new Map<string, number>();
  for (const { manifestHash, until } of [...replacedBy(row, now), ...served]) {
    if (manifestHash !== row.manifestHash && until > now && !ends.has(manifestHash)) ends.set(manifestHash, until);
  }
  return [...ends].map(([manifestHash, until]) => ({ manifestHash, until })).slice(0, EARLIER_MAX);
}

function toRoute(row: RouteRow, before: Route | undefined, now: number): Route {
  const { replaced: _, ...route } = row;
  return { ...route, earlier: earlierOf(row, before, now) };
}

function replacedBy({ replaced }: RouteRow, now: number): Route['earlier'] {
  return replaced.slice(0, EARLIER_MAX).map(({ manifestHash, endedAt }) => ({
    manifestHash,
    until: (endedAt?.getTime() ?? now) + EARLIER_ASSETS_MS,
  }));
}

/**
 * Returns false when the row lists an earlier release that the route does not know: one may have been switched in
 * and put back between two readings, or elsewhere.
 */
function knowsReplaced(known: Route, row: RouteRow, now: number): boolean {
  return replacedBy(row, now).every(
    ({ manifestHash, until }) =>
      until <= now ||
      manifestHash === row.manifestHash ||
      known.earlier.some((earlier) => earlier.manifestHash === manifestHash),
  );
}
