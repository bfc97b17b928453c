import { LRUCache } from 'lru-cache';
import type { Route } from './site-list.ts';

const PREVIEWS_MAX = 5_000;

/**
 * Holds the addresses of single releases in memory, by host name. Those of a deployment or a release are found by its
 * id, since each change of either drops them.
 */
export function createPreviews() {
  const hostsById = new Map<string, Set<string>>();
  const byHost = new LRUCache<string, Route>({
    max: PREVIEWS_MAX,
    dispose(route, host) {
      for (const id of idsOf(route)) {
        const hosts = hostsById.get(id);
        hosts?.delete(host);
        if (hosts?.size === 0) hostsById.delete(id);
      }
    },
  });

  return {
    get: (host: string) => byHost.get(host),
    set(host: string, route: Route): void {
      // First, since replacing a route removes the ids of the previous one.
      byHost.set(host, route);
      for (const id of idsOf(route)) hostsById.set(id, (hostsById.get(id) ?? new Set()).add(host));
    },
    /** Forgets the addresses of this deployment, or of this release. */
    drop(id: string): void {
      for (const host of [...(hostsById.get(id) ?? [])]) byHost.delete(host);
    },
    clear: () => byHost.clear(),
  };
}

function idsOf({ deploymentId, releaseId }: Route): readonly string[] {
  return [deploymentId, releaseId];
}
