import type { RouteRow } from './read-routes.ts';
import { EARLIER_ASSETS_MS, type Route } from './snapshot.ts';

/**
 * So many of a day are remembered, the latest: one every quarter of an hour. Each is a hash and a time, some 150 bytes: a
 * site that is published all day takes 15 KiB, and one that is left alone nothing.
 */
const EARLIER_MAX = 100;

/** A change of these fields changes an answer. */
const NEWS = ['slug', 'releaseId', 'manifestHash', 'variantsHash', 'isSinglePage', 'hasCleanUrls'] as const;

/** Creates the live routes by host name, deployment and release: maps that always agree. */
export function createRoutes(now: () => number, hostOf: (route: Route) => string) {
  const byHost = new Map<string, Route>();
  const byDeployment = new Map<string, Route>();
  const byRelease = new Map<string, Route>();

  function put(route: Route): void {
    drop(route.deploymentId);
    byHost.set(hostOf(route), route);
    byDeployment.set(route.deploymentId, route);
    byRelease.set(route.releaseId, route);
  }

  function drop(deploymentId: string): boolean {
    const route = byDeployment.get(deploymentId);
    if (route === undefined) return false;
    byDeployment.delete(deploymentId);
    byRelease.delete(route.releaseId);
    // The name may belong to another deployment by now.
    if (byHost.get(hostOf(route)) === route) byHost.delete(hostOf(route));
    return true;
  }

  /**
   * Returns what the database says visitors had before, and what this process has served, which no other may know of.
   */
  function earlierOf(row: RouteRow, before: Route | undefined): Route['earlier'] {
    const served = before === undefined ? [] : [{ ...before, until: now() + EARLIER_ASSETS_MS }, ...before.earlier];
    const ends = new Map<string, number>();
    for (const { manifestHash, until } of [...replacedBy(row), ...served]) {
      if (manifestHash !== row.manifestHash && until > now() && !ends.has(manifestHash)) ends.set(manifestHash, until);
    }
    return [...ends].map(([manifestHash, until]) => ({ manifestHash, until })).slice(0, EARLIER_MAX);
  }

  function replacedBy({ replaced }: RouteRow): Route['earlier'] {
    return replaced.slice(0, EARLIER_MAX).map(({ manifestHash, endedAt }) => ({
      manifestHash,
      until: (endedAt?.getTime() ?? now()) + EARLIER_ASSETS_MS,
    }));
  }

  /** What was switched in and put back between two readings, or elsewhere, has changed nothing but this. */
  function knowsReplaced(known: Route, row: RouteRow): boolean {
    return replacedBy(row).every(
      ({ manifestHash, until }) =>
        until <= now() ||
        manifestHash === row.manifestHash ||
        known.earlier.some((earlier) => earlier.manifestHash === manifestHash),
    );
  }

  return {
    byHost: (host: string) => byHost.get(host),
    byDeployment: (deploymentId: string) => byDeployment.get(deploymentId),
    /** Undefined unless this release is live. */
    deploymentOf: (releaseId: string) => byRelease.get(releaseId)?.deploymentId,
    all: () => byDeployment.values(),
    restore: put,
    drop,
    dropExcept(deploymentIds: ReadonlySet<string>): boolean {
      const gone = [...byDeployment.keys()].filter((id) => !deploymentIds.has(id));
      for (const id of gone) drop(id);
      return gone.length > 0;
    },
    isNews(row: RouteRow): boolean {
      const known = byDeployment.get(row.deploymentId);
      return known === undefined || NEWS.some((field) => known[field] !== row[field]) || !knowsReplaced(known, row);
    },
    /** Whether a visitor may be on the site right now, so that the new release is worth warming. */
    isKnown: (deploymentId: string) => byDeployment.has(deploymentId),
    apply(row: RouteRow): void {
      const { replaced: _, ...route } = row;
      put({ ...route, earlier: earlierOf(row, byDeployment.get(row.deploymentId)) });
    },
  };
}

export type Routes = ReturnType<typeof createRoutes>;
