import { LRUCache } from 'lru-cache';
import { inTime } from '../in-time.ts';

/** Limits looks for one site, however many of its visitors ask for what is not there. */
const LOOK_EVERY_MS = 100;
const SITES_MAX = 10_000;

/**
 * Before a site says that it has no such file. Of two processes one hears of a switch some milliseconds before the
 * other: a page that the one has answered may name files that the other does not know yet. Resolves when the site was
 * looked at a moment ago, by whoever asked first, or when that takes too long: then the release that is known says what
 * there is, and nobody waits again until the database has answered.
 */
export function createRouteRecheck(
  look: (deploymentId: string) => Promise<void>,
): (deploymentId: string) => Promise<void> {
  const looks = new LRUCache<string, { at: number; done: Promise<void> }>({ max: SITES_MAX });
  let unanswered = 0;

  async function lookInTime(deploymentId: string): Promise<void> {
    const looking = look(deploymentId);
    try {
      await inTime(looking);
    } catch {
      unanswered += 1;
      const count = (): number => (unanswered -= 1);
      looking.then(count, count);
    }
  }

  return (deploymentId) => {
    if (unanswered > 0) return Promise.resolve();
    const at = performance.now();
    const last = looks.get(deploymentId);
    if (last !== undefined && at - last.at < LOOK_EVERY_MS) return last.done;
    const done = lookInTime(deploymentId);
    looks.set(deploymentId, { at, done });
    return done;
  };
}
