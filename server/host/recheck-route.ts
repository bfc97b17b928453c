import { LRUCache } from 'lru-cache';
import { withTimeout } from '../with-timeout.ts';

/** Limits looks for one site, however many of its visitors ask for what is not there. */
const LOOK_EVERY_MS = 100;
/** Nobody waits longer to hear that there is nothing: the database may be slow, or away. */
const RECHECK_TIMEOUT_MS = 500;
const SITES_MAX = 10_000;

/**
 * Before a site says that it has no such file. Of two processes one hears of a switch some milliseconds before the
 * other: a page that the one has answered may name files that the other does not know yet. Resolves when the site was
 * looked at a moment ago, by whoever asked first, or when that takes too long.
 */
export function createRouteRecheck(
  look: (deploymentId: string) => Promise<void>,
): (deploymentId: string) => Promise<void> {
  const looks = new LRUCache<string, { at: number; done: Promise<void> }>({ max: SITES_MAX });
  return (deploymentId) => {
    const at = performance.now();
    const last = looks.get(deploymentId);
    if (last !== undefined && at - last.at < LOOK_EVERY_MS) return last.done;
    const done = withTimeout(look(deploymentId), RECHECK_TIMEOUT_MS, () => undefined);
    looks.set(deploymentId, { at, done });
    return done;
  };
}
